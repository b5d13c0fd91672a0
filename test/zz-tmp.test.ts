import * as fc from 'fast-check';
import { test } from 'vitest';
import { compactBy, POLICY_NAMES, smallCore } from './support/policies.ts';
import { createLog, moves, play } from './support/transcripts.ts';
test('x', () => {
  for (const name of POLICY_NAMES) {
    const core = smallCore(name, {}, { model: { systemMessages: true } });
    const tally: Record<string, number> = {};
    for (const list of fc.sample(moves, 300)) {
      const log = createLog(); log.user('<scenario_brief round="1" design_dir="design/r1">first</scenario_brief>');
      for (const [i, m] of list.entries()) { play(log, m);
        if (i % 8 === 7) { const { plan, accepted } = compactBy(log, core, ['the task stands [#e1]']);
        const e = log.entries.at(-1);
        const key = plan.type === 'cut' ? `${plan.by} ${accepted?.ok ? `ok place=${e?.type==='compaction'?e.place:''} left=${plan.left.length>0} short=${Object.keys(plan.shortened).length>0} arch=${plan.archives.length}` : accepted?.cause}` : plan.type;
        tally[key] = (tally[key] ?? 0) + 1; } }
    }
    console.log(name, JSON.stringify(tally, null, 1));
  }
});

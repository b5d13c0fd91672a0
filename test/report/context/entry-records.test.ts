/** Of each entry: what its call took and gave, what its compaction did, and which calls brought nothing (S4.6). */
import { expect, test } from 'vitest';
import { entryRecords } from '../../../src/report/context/entry-records.ts';
import { deriveCallRecords } from '../../../src/transcript/call-record.ts';
import { compact, coreWith, createLog } from '../../support/transcripts.ts';

test('an answer, a compaction and a call without an answer are found by their entries', () => {
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= 9; n += 1) log.step([{ result: 'x '.repeat(900) }], { usage: 1000 * n });
  const made = compact(log, coreWith(), ['fine [#e3]']);
  log.step([{ result: 'after' }], { usage: 900 });
  const calls = deriveCallRecords(log.entries, 'init', { ms: { e2: 1500, [made.id]: 4000 } });
  const dead = { ...calls[0]!, id: 'design.r1.main.0009', at: '2026-11-23T01:00:00Z', rewrites: [] };
  const { answer, compaction, unanswered } = entryRecords([
    ...calls,
    { ...dead, outcome: undefined, usage: undefined },
  ]);
  expect([answer('e2'), answer('e3')]).toEqual([expect.stringMatching(/tokens out · 1\.5 s$/), undefined]);
  const { sizes, receipt, attempts } = compaction(made.id) ?? { sizes: '', receipt: '', attempts: [] };
  expect(sizes).toMatch(/^[\d.]+k? → [\d.]+k? tokens$/);
  expect(receipt).toContain('took 4.0 s');
  expect(attempts.length).toBeGreaterThan(0);
  expect(compaction('e2')).toBeUndefined();
  expect(unanswered).toEqual([expect.stringContaining('design.r1.main.0009 under way')]);
});

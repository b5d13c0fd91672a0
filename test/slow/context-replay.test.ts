/** Every shipped policy on recorded sessions of real agents, with every kind of summariser: valid, fitting, remembering. */
import { describe, expect, test } from 'vitest';
import { requireModel } from '../../src/app/models/known-model.ts';
import { findHome } from '../../src/config/home.ts';
import { loadCore } from '../../src/config/load-core.ts';
import { extractFacts } from '../../src/context-lab/replay/facts.ts';
import { fitRecorded } from '../../src/context-lab/replay/calibration.ts';
import { SUMMARISERS } from '../../src/context-lab/replay/summariser.ts';
import { replay } from '../../src/context-lab/replay/replay.ts';
import { costOf } from '../../src/ports/model.ts';
import { importTranscript } from '../../src/interop/transcripts/import.ts';
import { hasSessions, sessionText, SESSIONS } from '../support/shared-transcripts.ts';

const home = findHome('.');
const POLICIES = ['two-agent', 'layered', 'selective', 'windowed', 'budgeted', 'native'];
const KINDS = ['perfect', 'empty', 'failing'] as const;
const WINDOW = 200_000;
const MAX_OUTPUT = 16_000;
/** These summarise whatever leaves; the others drop or empty some of it by their rules, and a pointer stands for it. */
const SUMMARISE_ALL = new Set(['two-agent', 'windowed', 'native']);

async function replayed(name: (typeof SESSIONS)[number], policy: string, kind: (typeof KINDS)[number]) {
  const { entries } = importTranscript(sessionText(name), name);
  const fit = fitRecorded(entries) ?? { fixed: 20_000, ratio: 1, samples: 0 };
  const model = await requireModel(home, 'claude-opus-5-5');
  const core = await loadCore(home, policy, 'execute');
  const floor = Math.round(fit.fixed / fit.ratio);
  return replay(entries, {
    core: { ...core, budget: { window: WINDOW, maxOutput: MAX_OUTPUT, floor }, model: { systemMessages: true } },
    rules: { boundThinking: true, prefill: false },
    summariser: SUMMARISERS[kind],
    facts: extractFacts(entries, 40),
    ratio: fit.ratio,
    priceOf: (usage) => costOf(usage, model.price),
  });
}

describe.skipIf(!hasSessions).each(POLICIES)('%s', (policy) => {
  test.each(SESSIONS.flatMap((name) => KINDS.map((kind) => [name, kind] as const)))(
    '%s with a %s summariser: nothing refused, nothing stale, everything fits',
    async (name, kind) => {
      const made = await replayed(name, policy, kind);
      expect(made.stopped).toBeUndefined();
      expect(made.calls.length).toBeGreaterThan(100);
      expect(made.calls.filter(({ fault, staleThinking }) => fault !== undefined || staleThinking > 0)).toEqual([]);
      expect(Math.max(...made.calls.map(({ tokens }) => tokens))).toBeLessThanOrEqual(WINDOW - MAX_OUTPUT);
      if (kind === 'perfect' && SUMMARISE_ALL.has(policy)) expect(made.facts.lost).toEqual([]);
    },
  );
});

/** A recorded session played through the core: message by message, or call by call under a shipped policy. */
import { expect } from 'vitest';
import { requireModel } from '../../src/app/models/known-model.ts';
import { findHome } from '../../src/config/home.ts';
import { acceptSummary, planCompaction, shouldCompact, summaryRequest, view } from '../../src/context/index.ts';
import type { Core } from '../../src/context/index.ts';
import { extractFacts } from '../../src/context-lab/replay/facts.ts';
import { fitRecorded } from '../../src/context-lab/replay/calibration.ts';
import { replay } from '../../src/context-lab/replay/replay.ts';
import { SUMMARISERS } from '../../src/context-lab/replay/summariser.ts';
import { computeCost } from '../../src/ports/model.ts';
import type { Entry, MessageEntry } from '../../src/transcript/entry.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { summaryAnswer } from './transcripts.ts';

const home = findHome('.');
export const SUMMARISER_KINDS = ['perfect', 'empty', 'failing'] as const;
export type SummariserKind = (typeof SUMMARISER_KINDS)[number];
/** These summarise whatever leaves; the others drop or empty some of it by their rules, and leave a pointer. */
const SUMMARISE_ALL = new Set(['two-agent', 'windowed', 'native']);

/** Nothing refused, nothing stale, everything fits; a perfect summariser forgets nothing. Gives the number of calls and rewrites, and the cost. */
export async function expectSoundReplay(
  entries: readonly MessageEntry[],
  core: Core,
  kind: SummariserKind,
): Promise<{ calls: number; rewrites: number; cost: number }> {
  const fit = fitRecorded(entries) ?? { fixed: 20_000, ratio: 1, samples: 0 };
  const { price } = await requireModel(home, 'claude-opus-5-5');
  const budget = { ...core.budget, floor: Math.round(fit.fixed / fit.ratio) };
  const made = replay(entries, {
    core: { ...core, budget, model: { systemMessages: true } },
    rules: { boundThinking: true, prefill: false },
    summariser: SUMMARISERS[kind],
    facts: extractFacts(entries, 40),
    ratio: fit.ratio,
    priceOf: (usage) => computeCost(usage, price),
  });
  expect(made.stopped).toBeUndefined();
  expect(made.calls.filter(({ fault, staleThinking }) => fault !== undefined || staleThinking > 0)).toEqual([]);
  expect(Math.max(...made.calls.map(({ tokens }) => tokens))).toBeLessThanOrEqual(budget.window - budget.maxOutput);
  if (kind === 'perfect' && SUMMARISE_ALL.has(core.policy.name)) expect(made.facts.lost).toEqual([]);
  return { calls: made.calls.length, rewrites: made.rewrites.length, cost: made.cost };
}

/** Appends message after message and compacts when it is due; every view between steps is valid. */
export function throughCore(recorded: readonly MessageEntry[], core: Core): { entries: Entry[]; compactions: number } {
  const entries: Entry[] = [];
  let compactions = 0;
  for (const { response: _billed, ...entry } of recorded) {
    entries.push({ ...entry, id: `e${entries.length + 1}` });
    if (entry.origin === 'model') continue;
    expectValid(entries);
    if (!compactIfDue(entries, core)) continue;
    compactions += 1;
    expectValid(entries);
  }
  return { entries, compactions };
}

function expectValid(entries: readonly Entry[]): void {
  if (splitSteps(entries).at(-1)?.openCalls.length !== 0) return;
  const { messages, rewrittenThrough } = view(entries);
  expect(findFault(messages, { boundThinking: true, prefill: false, rewrittenThrough })).toBeUndefined();
}

function compactIfDue(entries: Entry[], core: Core): boolean {
  if (!shouldCompact(entries, core).due) return false;
  const plan = planCompaction(entries, core, { reason: 'threshold' });
  if (plan.type === 'defer') return false;
  if (plan.type !== 'cut') throw new Error(plan.type);
  const request = summaryRequest(entries, core, plan);
  expect(request && findFault(request.messages, { boundThinking: true, prefill: false, ...request })).toBeUndefined();
  const answer = summaryAnswer({ state: 'under way', facts: [`all well until now [#${entries.at(-1)?.id}]`] });
  const made = acceptSummary(entries, core, plan, answer);
  if (!made.ok) throw new Error(`${made.cause}: ${made.detail}`);
  entries.push({ version: 1, id: `e${entries.length + 1}`, parents: [], lane: 'main', ...made.entry });
  expect(shouldCompact(entries, core).due).toBe(false);
  return true;
}

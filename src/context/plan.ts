/**
 * What one compaction would cover and keep: the ladder of the policy's passes, stopped at the first try that fits.
 *
 * No pass drops the results of finished turns between two compactions (S0.4): that would change the cached prefix every
 * turn and cost more than it saves (Y10, T28). What is older than the kept steps leaves here, in whole units.
 */
import { HarnessError } from '../errors.ts';
import { resultText } from '../transcript/lines.ts';
import { splitSteps } from '../transcript/step.ts';
import { estimateMessages, estimateText } from '../transcript/tokens.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Unit } from '../transcript/step.ts';
import type { Core } from './core.ts';
import { carryFacts, standingRequest } from './facts.ts';
import { asKept } from './kept.ts';
import { keepFewerSteps } from './passes/keep-fewer-steps.ts';
import { keepLatestSteps } from './passes/keep-latest-steps.ts';
import { resultsOf, shortenLongResults } from './passes/shorten-long-results.ts';
import type { Draft, Pass } from './passes/draft.ts';
import type { PassName } from './policy.ts';
import type { Decision } from './receipt.ts';
import { shouldCompact } from './trigger.ts';
import type { Pressure } from './trigger.ts';
import { latestCompaction, liveEntries } from './view.ts';

const PASSES: Record<PassName, Pass> = {
  'keep-latest-steps': keepLatestSteps,
  'shorten-long-results': shortenLongResults,
  'keep-fewer-steps': keepFewerSteps,
};

/** Why it is done, and what only the caller knows: the gate at which a person still owes a decision (S0.18). */
export type Occasion = { reason: string; openGate?: string };

/** A cut on the first message of a unit; the entry made from it is self-contained. */
export type Cut = {
  type: 'cut';
  occasion: Occasion;
  pressure: Pressure;
  coversThrough: string;
  keepsFrom?: string;
  shortened: Record<string, string>;
  /** Whole texts of what was shortened, for a caller that spills them to files. */
  spill: { entry: string; call: string; text: string }[];
  stepsSummarised: number;
  stepsKept: number;
  decisions: Decision[];
};

/** `defer`: calls are open, run them first (T7, S2.6). `nothing`: no message stands in the view. */
export type Plan =
  | Cut
  | { type: 'defer'; calls: string[] }
  | { type: 'nothing' }
  | { type: 'overflow'; error: HarnessError };

export function planCompaction(entries: readonly Entry[], core: Core, occasion: Occasion): Plan {
  const live = liveEntries(entries);
  const units = splitSteps(live);
  const last = units.at(-1);
  if (last === undefined) return { type: 'nothing' };
  if (last.kind === 'step' && last.openCalls.length > 0) return { type: 'defer', calls: last.openCalls };
  const pressure = shouldCompact(entries, core);
  const sizes = sizeUp(entries, core, occasion, pressure);
  const decisions: Decision[] = [];
  const draft = climb(units, entries, core, sizes, decisions);
  if (draft === undefined) return { type: 'overflow', error: overflow(core, pressure, decisions) };
  return cutAt(draft, { units, decisions, occasion, pressure });
}

/** Tokens that the compacted view has whatever is kept: floor, facts, summary; and how a kept unit is counted. */
type Sizes = { fixed: number; ratio: number; target: number };

function sizeUp(entries: readonly Entry[], core: Core, occasion: Occasion, { ratio, target }: Pressure): Sizes {
  const { policy, prompts, budget } = core;
  const facts = carryFacts(entries, policy, occasion);
  const earlier = latestCompaction(entries) === undefined ? 0 : policy.facts.earlier;
  const said = [standingRequest(core, facts), prompts.bridge, prompts.note];
  const texts = said.reduce((sum, text) => sum + estimateText(text), 0);
  return { fixed: (budget.floor + texts + earlier) * ratio + policy.summary.maxTokens, ratio, target };
}

/** Runs the passes in order; undefined when not even the last try fits. Every try is a decision in the receipt. */
function climb(
  units: readonly Unit[],
  entries: readonly Entry[],
  { policy }: Core,
  sizes: Sizes,
  decisions: Decision[],
): Draft | undefined {
  let draft: Draft = { keepFrom: units.length, shortened: { ...latestCompaction(entries)?.shortened } };
  for (const name of policy.passes)
    for (const attempt of PASSES[name](draft, { units, policy })) {
      draft = attempt.draft;
      const kept = keptTokens(units, draft, sizes.ratio);
      const tokens = Math.ceil(sizes.fixed + kept.steps + kept.pending);
      decisions.push({ attempt: decisions.length + 1, pass: name, detail: attempt.detail, tokens });
      if (kept.steps <= policy.keep.maxTokens && tokens <= sizes.target) return draft;
    }
  return undefined;
}

/** What a person said last is not a step: only the target bounds it. */
function keptTokens(units: readonly Unit[], { keepFrom, shortened }: Draft, ratio: number) {
  const tokens = { steps: 0, pending: 0 };
  for (const unit of units.slice(keepFrom)) {
    const pending = unit.kind === 'prompt' && unit === units.at(-1);
    const messages = unit.entries.map(({ message }) => asKept(message, shortened));
    tokens[pending ? 'pending' : 'steps'] += estimateMessages(messages) * ratio;
  }
  return tokens;
}

function cutAt(
  { keepFrom, shortened }: Draft,
  found: { units: readonly Unit[]; decisions: Decision[]; occasion: Occasion; pressure: Pressure },
): Cut {
  const { units, decisions, occasion, pressure } = found;
  const covered = units.slice(0, keepFrom);
  const kept = units.slice(keepFrom);
  const keepsFrom = kept[0]?.entries[0]?.id;
  const spill = spilled(kept, shortened);
  return {
    type: 'cut',
    occasion,
    pressure,
    decisions,
    coversThrough: covered.at(-1)?.entries.at(-1)?.id ?? '',
    ...(keepsFrom === undefined ? {} : { keepsFrom }),
    shortened: Object.fromEntries(spill.map(({ call }) => [call, shortened[call] ?? ''])),
    spill,
    stepsSummarised: covered.filter(({ kind }) => kind === 'step').length,
    stepsKept: kept.filter(({ kind }) => kind === 'step').length,
  };
}

function spilled(kept: readonly Unit[], shortened: Readonly<Record<string, string>>): Cut['spill'] {
  return kept.flatMap((unit) =>
    resultsOf(unit).flatMap(({ id, block }) =>
      Object.hasOwn(shortened, block.tool_use_id)
        ? [{ entry: id, call: block.tool_use_id, text: resultText(block) }]
        : [],
    ),
  );
}

/** S0.16, S4.5: nothing that the policy allows makes it fit, and another try would find the same. */
function overflow({ policy, budget }: Core, { total, target }: Pressure, decisions: Decision[]): HarnessError {
  return new HarnessError(
    'context_overflow',
    `The context of ${total} tokens cannot be brought under ${target}: after ${decisions.length} tries of policy ` +
      `"${policy.name}" ${decisions.at(-1)?.tokens ?? total} tokens would be left. Use a model with a larger window, or ` +
      `lower the caps of facts and summary in the policy.`,
    { details: { ...budget, total, target, policy: policy.name, tried: decisions } },
  );
}

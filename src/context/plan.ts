/**
 * What one compaction would cover and keep: the ladder of the policy's passes, stopped at the first try that fits.
 *
 * No pass drops the results of finished turns between two compactions (S0.4): that would change the cached prefix every
 * turn and cost more than it saves (Y10, T28). What is older than the kept steps leaves here, in whole units.
 */
import { HarnessError } from '../errors.ts';
import type { CompactionEntry, Entry } from '../transcript/entry.ts';
import { splitSteps } from '../transcript/step.ts';
import type { Unit } from '../transcript/step.ts';
import { estimateText } from '../transcript/tokens.ts';
import { keptArchives, standingSummaries } from './archives.ts';
import type { Core } from './core.ts';
import type { Cut, Occasion, Plan } from './cut.ts';
import { carryFacts, standingRequest } from './facts.ts';
import { goalOf, growthOf } from './growth.ts';
import { otherTargets } from './limits.ts';
import { triesOf } from './passes/all.ts';
import { emptyDraft, resultsOf } from './passes/draft.ts';
import type { Draft } from './passes/draft.ts';
import type { Decision } from './receipt.ts';
import { checkSafety } from './safety.ts';
import { createSizer } from './sizes.ts';
import type { Sizer } from './sizes.ts';
import { findTasks } from './tasks.ts';
import { shouldCompact } from './trigger.ts';
import type { Pressure } from './trigger.ts';
import { latestCompaction, project } from './view.ts';

export function planCompaction(entries: readonly Entry[], core: Core, occasion: Occasion): Plan {
  checkSafety(entries, core.policy);
  const units = splitSteps(project(entries).live);
  const last = units.at(-1);
  if (last === undefined) return { type: 'nothing' };
  if (last.kind === 'step' && last.openCalls.length > 0) return { type: 'defer', calls: last.openCalls };
  const pressure = shouldCompact(entries, core);
  const site = siteOf(units, entries, core, occasion, pressure);
  const decisions: Decision[] = [];
  const { goal } = site;
  const draft =
    climb(site, goal, decisions) ?? (goal < pressure.target ? climb(site, pressure.target, decisions) : undefined);
  if (draft === undefined) return { type: 'overflow', error: overflow(core, pressure, decisions) };
  return cutAt(draft, site, { decisions, occasion, pressure });
}

type Site = {
  units: readonly Unit[];
  entries: readonly Entry[];
  core: Core;
  previous: CompactionEntry | undefined;
  archives: string[];
  sizer: Sizer;
  /** Tokens that the compacted view has whatever is kept: floor, facts, summaries. */
  fixed: number;
  /** The same where nothing new is summarised: what stands there stands on. */
  standing: number;
  ratio: number;
  /** Edits alone must bring the view under this: what saves little is not worth the cache that it costs (T28). */
  worthwhile: number;
  growth: number;
  goal: number;
  pinned: ReadonlySet<string>;
};

function siteOf(
  units: readonly Unit[],
  entries: readonly Entry[],
  core: Core,
  occasion: Occasion,
  pressure: Pressure,
): Site {
  const { policy, prompts } = core;
  const { ratio, floor } = pressure;
  const previous = latestCompaction(entries);
  const archives = keptArchives(previous, policy, ratio);
  const facts = carryFacts(entries, policy, occasion);
  const earlier = previous === undefined ? 0 : policy.facts.earlier;
  const said = [standingRequest(core, facts), prompts.bridge, prompts.note, ...archives];
  const texts = said.reduce((sum, text) => sum + estimateText(text), 0);
  const growth = growthOf(units, ratio);
  const { first, current } = findTasks(entries);
  return {
    units,
    entries,
    core,
    previous,
    archives,
    sizer: createSizer(units, policy.summary.by === 'server' || policy.thinking === 'drop_block'),
    fixed: (floor + texts + earlier) * ratio + policy.summary.maxTokens,
    standing: standingTokens(previous, floor + estimateText(prompts.note), texts + earlier) * ratio,
    ratio,
    worthwhile: occasion.edits === false ? -1 : pressure.total * (1 - policy.breaker.minGain),
    growth,
    goal: goalOf(policy, pressure, growth),
    pinned: new Set([first, current].flatMap((task) => (task === undefined ? [] : [task.id]))),
  };
}

/** Facts are written anew beside a summary that stands; without one there is nothing but the floor. */
function standingTokens(previous: CompactionEntry | undefined, floor: number, texts: number): number {
  const summaries = standingSummaries(previous).reduce((sum, text) => sum + estimateText(text), 0);
  return floor + (previous === undefined ? 0 : texts + summaries);
}

/** Runs the passes in order; undefined when not even the last try fits. Every try is a decision in the receipt (S4.4). */
function climb(site: Site, goal: number, decisions: Decision[]): Draft | undefined {
  const { units, previous, core } = site;
  const { policy } = core;
  const others = otherTargets(policy);
  let draft: Draft = {
    ...emptyDraft(),
    shortened: { ...previous?.shortened },
    inputs: { ...previous?.inputs },
    pointers: { ...previous?.pointers },
  };
  const bench = { units, policy, messages: others.messages, pinned: site.pinned };
  for (const spec of policy.passes)
    for (const attempt of triesOf(spec, draft, bench)) {
      draft = attempt.draft;
      const { steps, pending } = site.sizer.kept(draft);
      const named = draft.summarise || draft.left.size > 0 ? site.fixed : site.standing;
      const tokens = Math.ceil(named + (steps.tokens + pending.tokens) * site.ratio);
      decisions.push({ attempt: decisions.length + 1, pass: spec.pass, detail: attempt.detail, tokens });
      const light =
        steps.messages + pending.messages <= others.messages &&
        steps.bytes + pending.bytes <= others.bytes &&
        steps.images + pending.images <= others.images;
      const bounded = draft.summarise ? steps.tokens * site.ratio <= policy.keep.maxTokens : tokens < site.worthwhile;
      if (light && bounded && tokens <= goal) return draft;
    }
  return undefined;
}

function cutAt(
  draft: Draft,
  site: Site,
  found: { decisions: Decision[]; occasion: Occasion; pressure: Pressure },
): Cut {
  const { units, archives, growth, goal } = site;
  const { keepFrom, summarise } = draft;
  const covered = units.slice(0, keepFrom);
  const kept = units.slice(keepFrom);
  const keepsFrom = kept[0]?.entries[0]?.id;
  const calls = new Set(kept.flatMap(({ entries }) => entries).flatMap(({ message }) => message.content.flatMap(idsOf)));
  const ids = new Set(kept.flatMap(({ entries }) => entries.map(({ id }) => id)));
  const shortened = only(draft.shortened, calls);
  return {
    type: 'cut',
    ...found,
    coversThrough: covered.at(-1)?.entries.at(-1)?.id ?? '',
    ...(keepsFrom === undefined ? {} : { keepsFrom }),
    shortened,
    spill: spilled(kept, shortened),
    stepsSummarised: covered.filter(({ kind }) => kind === 'step').length,
    stepsKept: kept.filter((unit) => unit.kind === 'step' && unit.entries.some(({ id }) => !draft.left.has(id))).length,
    by: summarise ? writerOf(draft, site) : 'code',
    inputs: only(draft.inputs, calls),
    left: [...draft.left].filter((id) => ids.has(id)),
    pointers: only(draft.pointers, ids),
    archives,
    growth,
    goal,
  };
}

/**
 * The API's own summary fits only before an answer to the user, and before results that nobody edited since they were sent
 * (messages-api §5.4); anywhere else an ordinary one is asked for.
 */
function writerOf({ keepFrom, shortened, inputs, pointers }: Draft, { units, core, previous }: Site): Cut['by'] {
  const { by } = core.policy.summary;
  if (by !== 'server') return by;
  const answered = units[keepFrom]?.entries[0]?.message.role === 'assistant';
  const asked = units[keepFrom - 1]?.entries.at(-1)?.message.role === 'user';
  const edits = (all: object | undefined) => Object.keys(all ?? {}).length;
  const edited =
    edits(shortened) > edits(previous?.shortened) ||
    edits(inputs) > edits(previous?.inputs) ||
    edits(pointers) > edits(previous?.pointers);
  return answered && asked && !edited ? 'server' : 'model';
}

function idsOf(block: Unit['entries'][number]['message']['content'][number]): string[] {
  if (block.type === 'tool_use') return [block.id];
  return block.type === 'tool_result' ? [block.tool_use_id] : [];
}

function only<Value>(all: Readonly<Record<string, Value>>, wanted: ReadonlySet<string>): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key)));
}

function spilled(kept: readonly Unit[], shortened: Readonly<Record<string, string>>): Cut['spill'] {
  return kept.flatMap((unit) =>
    resultsOf(unit).flatMap(({ id, block, text }) =>
      Object.hasOwn(shortened, block.tool_use_id) ? [{ entry: id, call: block.tool_use_id, text }] : [],
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

/** Where a compaction is planned: the units that stand, what they weigh, and what the compacted view has in any case. */
import type { CompactionEntry, Entry } from '../../transcript/entry.ts';
import type { Unit } from '../../transcript/step.ts';
import { estimateText } from '../../transcript/tokens.ts';
import { retainedArchives, currentSummaries } from '../summary/archives.ts';
import type { Core } from '../core.ts';
import type { Occasion } from './compaction-cut.ts';
import { carryFacts, compactedRequest } from '../facts/facts.ts';
import { compactionTarget, stepGrowth } from './compaction-target.ts';
import { createSizer } from './draft-sizes.ts';
import type { Sizer } from './draft-sizes.ts';
import { findTasks } from '../facts/carried-tasks.ts';
import type { Pressure } from './trigger.ts';
import { latestCompaction } from '../view/view.ts';

export type CompactionInputs = {
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
  /** Edits alone must bring the view under this: what saves little is not worth the cache that it costs. */
  worthwhile: number;
  growth: number;
  goal: number;
  pinned: ReadonlySet<string>;
  /** Entries that stand beside the conversation: they leave without a trace. */
  items: ReadonlySet<string>;
};

export function compactionInputs(
  units: readonly Unit[],
  entries: readonly Entry[],
  core: Core,
  occasion: Occasion,
  pressure: Pressure,
): CompactionInputs {
  const { policy, prompts } = core;
  const { ratio, floor } = pressure;
  const previous = latestCompaction(entries);
  const archives = retainedArchives(previous, policy, ratio);
  const facts = carryFacts(entries, policy, occasion);
  const earlier = previous === undefined ? 0 : policy.facts.earlier;
  const said = [compactedRequest(core, facts), prompts.bridge, prompts.note, ...archives];
  const texts = said.reduce((sum, text) => sum + estimateText(text), 0);
  const growth = stepGrowth(units, ratio);
  const { first, current } = findTasks(entries);
  return {
    units,
    entries,
    core,
    previous,
    archives,
    sizer: createSizer(units, policy.summary.by === 'server' || policy.thinking === 'drop_block'),
    fixed: (floor + texts + earlier) * ratio + policy.summary.maxTokens,
    standing: summaryTokens(previous, floor + estimateText(prompts.note), texts + earlier) * ratio,
    ratio,
    worthwhile: occasion.edits === false ? -1 : pressure.total * (1 - policy.breaker.minGain),
    growth,
    goal: compactionTarget(policy, pressure, growth),
    items: new Set(
      units.flatMap(({ entries: all }) => all.flatMap(({ id, item }) => (item === undefined ? [] : [id]))),
    ),
    pinned: new Set([first, current].flatMap((task) => (task === undefined ? [] : [task.id]))),
  };
}

/** Facts are written anew beside a summary that stands; without one there is nothing but the floor. */
function summaryTokens(previous: CompactionEntry | undefined, floor: number, texts: number): number {
  const summaries = currentSummaries(previous).reduce((sum, text) => sum + estimateText(text), 0);
  return floor + (previous === undefined ? 0 : texts + summaries);
}

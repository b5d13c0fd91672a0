/** The data a compaction is planned on: the live units and their sizes, and the fixed parts of any compacted view. */
import type { CompactionEntry } from '../../transcript/entry.ts';
import type { Unit } from '../../transcript/step.ts';
import { estimateMessages, estimateText, estimateTexts } from '../../transcript/tokens.ts';
import type { ContextSnapshot } from '../context-snapshot.ts';
import { retainedArchives, currentSummaries } from '../summary/archives.ts';
import type { Core } from '../core.ts';
import { compactedRequest } from '../facts/facts.ts';
import type { Policy } from '../policy.ts';
import { shortenMessage } from '../view/shortened-message.ts';
import type { CutDraft } from '../passes/cut-draft.ts';
import type { CompactionReason } from './compaction-cut.ts';
import type { Pressure } from './pressure.ts';
import { addLoad, measureLoad, NO_LOAD, type Load } from './request-load.ts';

export type CompactionInputs = {
  units: readonly Unit[];
  core: Core;
  occasion: CompactionReason;
  pressure: Pressure;
  previous: CompactionEntry | undefined;
  archives: string[];
  measureRetained: MeasureRetained;
  /** Tokens of the compacted view without its retained messages: floor, facts, summaries. */
  fixed: number;
  /** The same when nothing new is summarised and the current summaries stay. */
  fixedByEdits: number;
  ratio: number;
  /** Edits alone must bring the view under this: a small saving is not worth the cache that it costs. */
  worthwhile: number;
  growth: number;
  goal: number;
  pinned: ReadonlySet<string>;
  /** Injected entries: they leave without a trace. */
  items: ReadonlySet<string>;
};

export function compactionInputs(
  snapshot: ContextSnapshot,
  core: Core,
  { occasion, pressure }: { occasion: CompactionReason; pressure: Pressure },
): CompactionInputs {
  const { policy, prompts } = core;
  const { units } = snapshot;
  const { ratio, floor } = pressure;
  const { compaction: previous } = snapshot.projection;
  const archives = retainedArchives(previous, policy, ratio);
  const earlier = previous === undefined ? 0 : policy.facts.earlier;
  const request = compactedRequest(core, snapshot.facts(policy, occasion.openGate));
  const texts = estimateTexts([request, prompts.bridge, prompts.note, ...archives]);
  // An edit renders the facts again for the current summary; without a summary there is nothing but the floor.
  const summaries = previous === undefined ? 0 : texts + earlier + estimateTexts(currentSummaries(previous));
  const growth = stepGrowth(units, ratio);
  const { first, current } = snapshot.sources.tasks;
  return {
    units,
    core,
    occasion,
    pressure,
    previous,
    archives,
    measureRetained: createSizer(units, policy.summary.by === 'server' || policy.thinking === 'drop_block'),
    fixed: (floor + texts + earlier) * ratio + policy.summary.maxTokens,
    fixedByEdits: (floor + estimateText(prompts.note) + summaries) * ratio,
    ratio,
    worthwhile: occasion.edits === false ? -1 : pressure.total * (1 - policy.breaker.minGain),
    growth,
    goal: compactionTarget(policy, pressure, growth),
    items: new Set(units.flatMap(({ entries }) => entries.flatMap(({ id, item }) => (item === undefined ? [] : [id])))),
    pinned: new Set([first, current].flatMap((task) => (task === undefined ? [] : [task.id]))),
  };
}

/** Number of steps for the median: enough to be stable, few enough to follow a change of work. */
const LATEST_STEPS = 20;

/** Real tokens that a step has added lately: the median, because one huge result is no trend. */
export function stepGrowth(units: readonly Unit[], ratio: number): number {
  const sizes = units
    .filter(({ kind }) => kind === 'step')
    .slice(-LATEST_STEPS)
    .map(({ entries }) => estimateMessages(entries.map(({ message }) => message)))
    .toSorted((one, other) => one - other);
  return Math.ceil((sizes[Math.floor(sizes.length / 2)] ?? 0) * ratio);
}

/** The first goal, lower for a context that grows fast; when it cannot be reached, `target` is enough (S0.22, docs/internals/compaction-cases.md T28). */
export function compactionTarget({ target: wanted }: Policy, { trigger, target }: Pressure, growth: number): number {
  if (wanted.steps === undefined) return target;
  const room = trigger - wanted.steps * growth;
  return Math.floor(Math.min(target, Math.max(trigger * wanted.least, room)));
}

/** Returns the load of the retained units; `pending` is the last user message, which is not a step. */
type MeasureRetained = (draft: CutDraft) => { steps: Load; pending: Load };

type DraftEdits = Pick<CutDraft, 'shortened' | 'inputs' | 'left' | 'pointers'>;

/** Every unit is measured once, and again only when it is edited. */
function createSizer(units: readonly Unit[], keepsThinking: boolean): MeasureRetained {
  const plain = new Map<Unit, Load>();
  let known: { edits: DraftEdits; suffix: Load[] } | undefined;

  function measure(unit: Unit, edits: DraftEdits): Load {
    let sum = NO_LOAD;
    for (const { id, message } of unit.entries) {
      if (edits.left.has(id)) continue;
      const { inputs, pointers } = edits;
      sum = addLoad(
        sum,
        measureLoad(shortenMessage(message, edits.shortened, { keepsThinking, inputs, pointer: pointers[id] })),
      );
    }
    return sum;
  }

  function sizeOf(unit: Unit, edits: DraftEdits): Load {
    if (isEdited(unit, edits)) return measure(unit, edits);
    const found = plain.get(unit) ?? measure(unit, { shortened: {}, inputs: {}, left: new Set(), pointers: {} });
    plain.set(unit, found);
    return found;
  }

  /** Sums from the end, computed again only when the edits differ from the last attempt. */
  function suffixOf(edits: DraftEdits): Load[] {
    if (known !== undefined && sameEdits(known.edits, edits)) return known.suffix;
    const suffix: Load[] = [NO_LOAD];
    for (const unit of units.toReversed()) suffix.push(addLoad(suffix.at(-1) ?? NO_LOAD, sizeOf(unit, edits)));
    suffix.reverse();
    known = { edits, suffix };
    return suffix;
  }

  return (draft) => {
    const all = suffixOf(draft)[draft.keepFrom] ?? NO_LOAD;
    const last = units.at(-1);
    const waits = last?.kind === 'prompt' && draft.keepFrom < units.length;
    const pending = waits ? sizeOf(last, draft) : NO_LOAD;
    return { steps: addLoad(all, pending, -1), pending };
  };
}

function sameEdits(one: DraftEdits, other: DraftEdits): boolean {
  return (['shortened', 'inputs', 'left', 'pointers'] as const).every((part) => one[part] === other[part]);
}

function isEdited(unit: Unit, { shortened, inputs, left, pointers }: DraftEdits): boolean {
  return unit.entries.some(
    ({ id, message }) =>
      left.has(id) ||
      Object.hasOwn(pointers, id) ||
      message.content.some(
        (block) =>
          (block.type === 'tool_result' && Object.hasOwn(shortened, block.tool_use_id)) ||
          (block.type === 'tool_use' && Object.hasOwn(inputs, block.id)),
      ),
  );
}

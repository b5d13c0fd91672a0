/** The cut that a draft means: what it covers, what stays, what of it is edited, and who writes the summary. */
import type { Unit } from '../../transcript/step.ts';
import type { Cut, Occasion } from './compaction-cut.ts';
import { toolResultsIn } from '../passes/cut-draft.ts';
import type { CutDraft } from '../passes/cut-draft.ts';
import type { PassDecision } from '../record/receipt.ts';
import type { CompactionInputs } from './compaction-inputs.ts';
import type { Pressure } from './trigger.ts';

export function buildCompactionPlan(
  draft: CutDraft,
  site: CompactionInputs,
  found: { decisions: PassDecision[]; occasion: Occasion; pressure: Pressure },
): Cut {
  const { units, archives, growth, goal } = site;
  const { keepFrom, summarise } = draft;
  const covered = units.slice(0, keepFrom);
  const kept = units.slice(keepFrom);
  const keepsFrom = kept[0]?.entries[0]?.id;
  const calls = new Set(
    kept.flatMap(({ entries }) => entries).flatMap(({ message }) => message.content.flatMap(idsOf)),
  );
  const ids = new Set(kept.flatMap(({ entries }) => entries.map(({ id }) => id)));
  const shortened = only(draft.shortened, calls);
  const left = [...draft.left].filter((id) => ids.has(id));
  const named = left.filter((id) => !site.items.has(id));
  const by = summarise || named.length > 0 ? writerOf(draft, named, site) : 'code';
  const leaving = by === 'code' ? covered : [...covered, ...kept.filter((unit) => isGone(unit, draft))];
  return {
    type: 'cut',
    ...found,
    coversThrough: covered.at(-1)?.entries.at(-1)?.id ?? '',
    ...(keepsFrom === undefined ? {} : { keepsFrom }),
    shortened,
    spill: spilled(kept, shortened),
    stepsSummarised: leaving.filter(({ kind }) => kind === 'step').length,
    stepsKept: kept.filter((unit) => unit.kind === 'step' && !isGone(unit, draft)).length,
    by,
    inputs: only(draft.inputs, calls),
    left,
    named,
    pointers: only(draft.pointers, ids),
    archives,
    growth,
    goal,
  };
}

function isGone({ entries }: Unit, { left }: CutDraft): boolean {
  return entries.every(({ id }) => left.has(id));
}

/**
 * The API's own summary fits only before an answer to the user, and before results that nobody edited since they were sent
 * (docs/api-rules.md §5.4); anywhere else an ordinary one is asked for.
 */
function writerOf(draft: CutDraft, named: readonly string[], { units, core, previous }: CompactionInputs): Cut['by'] {
  const { keepFrom, shortened, inputs, pointers } = draft;
  const { by } = core.policy.summary;
  if (by !== 'server') return by;
  const answered = units[keepFrom]?.entries[0]?.message.role === 'assistant';
  const asked = units[keepFrom - 1]?.entries.at(-1)?.message.role === 'user';
  const edits = (all: object | undefined) => Object.keys(all ?? {}).length;
  const edited =
    named.length > 0 ||
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
    toolResultsIn(unit).flatMap(({ id, block, text }) =>
      Object.hasOwn(shortened, block.tool_use_id) ? [{ entry: id, call: block.tool_use_id, text }] : [],
    ),
  );
}

/** Turns a draft into a cut: the units covered, those retained, their edits, and who writes the summary. */
import type { Unit } from '../../transcript/step.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Cut } from './compaction-cut.ts';
import { toolResultsIn, type CutDraft } from '../passes/cut-draft.ts';
import type { CompactionInputs } from './compaction-inputs.ts';

/** The target of the chosen cut, and the decisions on all attempts. */
type ChosenAttempt = Pick<Cut, 'decisions'> & { target: number };

export function buildCompactionPlan(draft: CutDraft, inputs: CompactionInputs, chosen: ChosenAttempt): Cut {
  const { units, archives, growth, goal, occasion, pressure } = inputs;
  const { keepFrom, summarise } = draft;
  const covered = units.slice(0, keepFrom);
  const retained = units.slice(keepFrom);
  const keepsFrom = retained[0]?.entries[0]?.id;
  const calls = new Set(
    retained.flatMap(({ entries }) => entries).flatMap(({ message }) => message.content.flatMap(listCallIds)),
  );
  const ids = new Set(retained.flatMap(({ entries }) => entries.map(({ id }) => id)));
  const shortened = pickKeys(draft.shortened, calls);
  const left = [...draft.left].filter((id) => ids.has(id));
  const named = left.filter((id) => !inputs.items.has(id));
  const by = summarise || named.length > 0 ? chooseWriter(draft, named, inputs) : 'code';
  const leaving = by === 'code' ? covered : [...covered, ...retained.filter((unit) => isGone(unit, draft))];
  return {
    type: 'cut',
    decisions: chosen.decisions,
    occasion,
    pressure: { ...pressure, target: chosen.target },
    coversThrough: covered.at(-1)?.entries.at(-1)?.id ?? '',
    ...omitUndefined({ keepsFrom }),
    shortened,
    spill: listSpilledTexts(retained, shortened),
    stepsSummarised: leaving.filter(({ kind }) => kind === 'step').length,
    stepsKept: retained.filter((unit) => unit.kind === 'step' && !isGone(unit, draft)).length,
    by,
    inputs: pickKeys(draft.inputs, calls),
    left,
    named,
    pointers: pickKeys(draft.pointers, ids),
    archives,
    growth,
    goal,
  };
}

function isGone({ entries }: Unit, { left }: CutDraft): boolean {
  return entries.every(({ id }) => left.has(id));
}

/**
 * The API's own summary is possible only before an answer to the user, and when no retained result was edited since it
 * was sent; anywhere else the model writes an ordinary one.
 * https://platform.claude.com/docs/en/build-with-claude/compaction
 */
function chooseWriter(
  draft: CutDraft,
  named: readonly string[],
  { units, core, previous }: CompactionInputs,
): Cut['by'] {
  const { keepFrom } = draft;
  const { by } = core.policy.summary;
  if (by !== 'server') return by;
  const answered = units[keepFrom]?.entries[0]?.message.role === 'assistant';
  const followsUser = units[keepFrom - 1]?.entries.at(-1)?.message.role === 'user';
  const edits = (all: object | undefined) => Object.keys(all ?? {}).length;
  const parts = ['shortened', 'inputs', 'pointers'] as const;
  const edited = named.length > 0 || parts.some((part) => edits(draft[part]) > edits(previous?.[part]));
  return answered && followsUser && !edited ? 'server' : 'model';
}

function listCallIds(block: Unit['entries'][number]['message']['content'][number]): string[] {
  if (block.type === 'tool_use') return [block.id];
  return block.type === 'tool_result' ? [block.tool_use_id] : [];
}

function pickKeys<Value>(all: Readonly<Record<string, Value>>, wanted: ReadonlySet<string>): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key)));
}

function listSpilledTexts(retained: readonly Unit[], shortened: Readonly<Record<string, string>>): Cut['spill'] {
  return retained.flatMap((unit) =>
    toolResultsIn(unit).flatMap(({ id, block, text }) =>
      Object.hasOwn(shortened, block.tool_use_id) ? [{ entry: id, call: block.tool_use_id, text }] : [],
    ),
  );
}

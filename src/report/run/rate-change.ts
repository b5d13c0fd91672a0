/** Splits a change of the rate into the parts of the evaluation's repairs, the subject, and one of both. */
import type { Outcome, Results, SampleResult } from '../../scenario/result.ts';
import { changedFiles, isDecidedBy } from '../../scenario/changed-files.ts';
import type { IterationSummary } from './run-summary.ts';

export type RateChange = {
  /** The change of the rate as shares of one; the three parts add up to the whole. */
  evaluation: number;
  subject: number;
  /** The part where something that the subject met changed too, so that either may be the cause. */
  either: number;
  /** Samples and how each moved: by a repair of its judgement, by the subject alone, or by one of both. */
  byRepair: string[];
  bySubject: string[];
  byEither: string[];
  added: string[];
  removed: string[];
  /** Samples that have a verdict in one of the two only: they move the rate although nothing was changed. */
  scoredOnce: string[];
  /** Paths of changed component files. */
  changedFiles: string[];
  otherDesign: boolean;
};

/** Returns undefined when one of the results is older than component digests and cannot be compared. */
export function rateChange(now: Results, before: Results): RateChange | undefined {
  if (now.components === undefined || before.components === undefined) return undefined;
  const changed = changedFiles(now, before);
  const otherDesign = now.designDigest !== before.designDigest;
  const known = new Map(listScored(before).map((sample) => [sample.id, sample]));
  const moves = listScored(now).flatMap((is): AttributedMove[] => {
    const was = known.get(is.id);
    if (was === undefined) return [];
    return [attributeMove(was, is, otherDesign || isDecidedBy(changed, was, is))];
  });
  const share = (part: MovePart): number =>
    moves.length === 0 ? 0 : moves.reduce((sum, one) => sum + (one[part]?.gain ?? 0), 0) / moves.length;
  const listed = (part: MovePart): string[] => moves.flatMap((one) => listMove(one, part));
  const [subject, either] = [share('subject'), share('either')];
  return {
    // Samples that are in one of the two only, or have a verdict in one only, count as changes of the evaluation.
    evaluation: now.successRate - before.successRate - subject - either,
    subject,
    either,
    byRepair: listed('repair'),
    bySubject: listed('subject'),
    byEither: listed('either'),
    added: now.samples.filter(({ id }) => before.samples.every((one) => one.id !== id)).map(({ id }) => id),
    removed: before.samples.filter(({ id }) => now.samples.every((one) => one.id !== id)).map(({ id }) => id),
    scoredOnce: now.samples
      .filter(({ id, outcome }) =>
        before.samples.some((one) => one.id === id && (one.outcome === 'unscored') !== (outcome === 'unscored')),
      )
      .map(({ id }) => id),
    changedFiles: changed.toSorted(),
    otherDesign,
  };
}

/** Lists a sample once: one that a repair moved and something else moved back stays as it was, and is told as such. */
function listMove(move: AttributedMove, part: MovePart): string[] {
  const own = move[part];
  const back = move.subject ?? move.either;
  if (own === undefined || move.repair === undefined || back === undefined) return own === undefined ? [] : [own.text];
  const undone =
    move.repair.gain > 0
      ? 'passes by the repair alone, fails all the same'
      : 'fails by the repair alone, passes all the same';
  return part === 'repair' ? [`${move.id} (${undone})`] : [];
}

type Move = { gain: number; text: string };
type MovePart = 'repair' | 'subject' | 'either';
type AttributedMove = { id: string; repair: Move | undefined; subject: Move | undefined; either: Move | undefined };

/**
 * Splits a move in two: from the earlier outcome to that of the same words and calls judged now, which is due to the
 * repair, and on to the new outcome, due to the subject if it met the same as before. If the conversation had ended for
 * lack of a user's answer, and the sample passes with the answer, all of the move is due to the repair.
 */
function attributeMove(was: SampleResult, is: SampleResult, isTouched: boolean): AttributedMove {
  const { earlier } = is;
  const isKnown = earlier !== undefined && earlier.outcome !== 'unscored';
  const isAnswered = earlier?.answered === true && is.outcome === 'pass';
  const between = isAnswered ? is.outcome : isKnown ? earlier.outcome : was.outcome;
  const rest = createMove(is.id, between, is.outcome);
  const isSubject = isKnown ? earlier.alike : !isTouched;
  return {
    id: is.id,
    repair: isKnown ? createMove(is.id, was.outcome, between) : undefined,
    subject: isSubject ? rest : undefined,
    either: isSubject ? undefined : rest,
  };
}

function createMove(id: string, was: Outcome, is: Outcome): Move | undefined {
  if (was === is) return undefined;
  return is === 'pass' ? { gain: 1, text: `${id} (now passes)` } : { gain: -1, text: `${id} (now fails, was ${was})` };
}

function listScored({ samples }: Results): SampleResult[] {
  return samples.filter(({ outcome }) => outcome !== 'unscored');
}

export type ChangeRow = { from: number; to: number; whole: number; change: RateChange | undefined; notes: string[] };

/** Lists one row for each evaluated iteration after the first. */
export function changeRows(iterations: readonly IterationSummary[]): ChangeRow[] {
  const evaluated = iterations.flatMap(({ results }) => (results === undefined ? [] : [results]));
  return evaluated.slice(1).flatMap((now, index) => {
    const before = evaluated[index];
    if (before === undefined) return [];
    const whole = now.successRate - before.successRate;
    // Notes after the first iteration ran, then on building the second; the last row also has those that followed.
    const said = before.notes?.slice(1) ?? [];
    const built = now === evaluated.at(-1) ? now.notes : now.notes?.slice(0, 1);
    const notes = [...said, ...(built ?? [])];
    return [{ from: before.iteration, to: now.iteration, whole, change: rateChange(now, before), notes }];
  });
}

/** Formats a share as percentage points, such as `+18.8`. */
export function formatPoints(share: number): string {
  const text = (Math.abs(share) * 100).toFixed(1);
  return text === '0.0' ? '0' : `${share > 0 ? '+' : '−'}${text}`;
}

/** Describes the changes: the design, added and removed samples, files. */
export function describeChanges(
  { otherDesign, added, removed, scoredOnce, changedFiles }: RateChange,
  most = 12,
): string {
  const gone = new Set([...added, ...removed].map((id) => `samples/${id}.json`));
  const files = changedFiles.filter((path) => !gone.has(path));
  const more = files.length > most ? [`${files.length - most} more`] : [];
  const parts = [
    ...(otherDesign ? ['the design'] : []),
    ...added.map((id) => `new sample ${id}`),
    ...removed.map((id) => `removed sample ${id}`),
    ...(scoredOnce.length === 0 ? [] : [`a verdict in one of the two only: ${scoredOnce.join(', ')}`]),
    ...files.slice(0, most),
    ...more,
  ];
  return parts.join(', ') || 'nothing';
}

/** Why the rate of an iteration differs from the one before: how much the evaluation's repairs did, how much the subject, and how much one of both. */
import type { Outcome, Results, SampleResult } from '../../scenario/result.ts';
import { changedFiles, isDecidedBy } from '../../scenario/changed-files.ts';
import type { IterationSummary } from './run-summary.ts';

export type RateChange = {
  /** Shares of one; the three add up to the whole change. */
  evaluation: number;
  subject: number;
  /** Where something that the subject met was changed too, and nobody can say which of both it was. */
  either: number;
  /** Samples, and how each moved: by the repair of what judges it, by the subject alone, by one of both. */
  byRepair: string[];
  bySubject: string[];
  byEither: string[];
  added: string[];
  removed: string[];
  /** Files of components, by path. */
  changedFiles: string[];
  otherDesign: boolean;
};

/** Undefined when one of both is older than the digests of components, and nothing can be said. */
export function rateChange(now: Results, before: Results): RateChange | undefined {
  if (now.components === undefined || before.components === undefined) return undefined;
  const changed = changedFiles(now, before);
  const otherDesign = now.designDigest !== before.designDigest;
  const known = new Map(scored(before).map((sample) => [sample.id, sample]));
  const moves = scored(now).flatMap((is): Moves[] => {
    const was = known.get(is.id);
    if (was === undefined) return [];
    return [movesOf({ was, is, isTouched: otherDesign || isDecidedBy(changed, was, is) })];
  });
  const share = (part: keyof Moves): number =>
    moves.length === 0 ? 0 : moves.reduce((sum, one) => sum + (one[part]?.gain ?? 0), 0) / moves.length;
  const listed = (part: keyof Moves): string[] => moves.flatMap((one) => one[part]?.text ?? []);
  const [subject, either] = [share('subject'), share('either')];
  return {
    // Samples that came or went are the evaluation's doing too.
    evaluation: now.successRate - before.successRate - subject - either,
    subject,
    either,
    byRepair: listed('repair'),
    bySubject: listed('subject'),
    byEither: listed('either'),
    added: now.samples.filter(({ id }) => before.samples.every((one) => one.id !== id)).map(({ id }) => id),
    removed: before.samples.filter(({ id }) => now.samples.every((one) => one.id !== id)).map(({ id }) => id),
    changedFiles: changed.toSorted(),
    otherDesign,
  };
}

type Move = { gain: number; text: string };
type Moves = { repair: Move | undefined; subject: Move | undefined; either: Move | undefined };

/**
 * From what was, to what the same words and calls are worth now, to what is: the first way is the repair's. The second is the
 * subject's where it met the same as before. A conversation that ended because its user had no answer said nothing of the
 * subject: when the answer is there and the sample passes, all of the way is the repair's.
 */
function movesOf({ was, is, isTouched }: { was: SampleResult; is: SampleResult; isTouched: boolean }): Moves {
  const { earlier } = is;
  const isKnown = earlier !== undefined && earlier.outcome !== 'unscored';
  const isAnswered = earlier?.answered === true && is.outcome === 'pass';
  const between = isAnswered ? is.outcome : isKnown ? earlier.outcome : was.outcome;
  const rest = move({ id: is.id, was: between, is: is.outcome });
  const isSubject = isKnown ? earlier.alike : !isTouched;
  return {
    repair: isKnown ? move({ id: is.id, was: was.outcome, is: between }) : undefined,
    subject: isSubject ? rest : undefined,
    either: isSubject ? undefined : rest,
  };
}

function move({ id, was, is }: { id: string; was: Outcome; is: Outcome }): Move | undefined {
  if (was === is) return undefined;
  return is === 'pass' ? { gain: 1, text: `${id} (now passes)` } : { gain: -1, text: `${id} (now fails, was ${was})` };
}

function scored({ samples }: Results): SampleResult[] {
  return samples.filter(({ outcome }) => outcome !== 'unscored');
}

export type ChangeRow = { from: number; to: number; whole: number; change: RateChange | undefined; notes: string[] };

/** One row for each iteration after the first that was evaluated. */
export function changeRows(iterations: readonly IterationSummary[]): ChangeRow[] {
  const evaluated = iterations.flatMap(({ results }) => (results === undefined ? [] : [results]));
  return evaluated.slice(1).flatMap((now, index) => {
    const before = evaluated[index];
    if (before === undefined) return [];
    const whole = now.successRate - before.successRate;
    // Why the one became the other: what was said after the first had run, then what was built. The last row has what came after it too.
    const said = before.notes?.slice(1) ?? [];
    const built = now === evaluated.at(-1) ? now.notes : now.notes?.slice(0, 1);
    const notes = [...said, ...(built ?? [])];
    return [{ from: before.iteration, to: now.iteration, whole, change: rateChange(now, before), notes }];
  });
}

/** `+18.8`: percentage points. */
export function points(share: number): string {
  const text = (Math.abs(share) * 100).toFixed(1);
  return text === '0.0' ? '0' : `${share > 0 ? '+' : '−'}${text}`;
}

/** What was changed, in words: the design, samples that came and went, files. */
export function changedText({ otherDesign, added, removed, changedFiles }: RateChange, most = 12): string {
  const gone = new Set([...added, ...removed].map((id) => `samples/${id}.json`));
  const files = changedFiles.filter((path) => !gone.has(path));
  const more = files.length > most ? [`${files.length - most} more`] : [];
  const parts = [
    ...(otherDesign ? ['the design'] : []),
    ...added.map((id) => `new sample ${id}`),
    ...removed.map((id) => `removed sample ${id}`),
    ...files.slice(0, most),
    ...more,
  ];
  return parts.join(', ') || 'nothing';
}

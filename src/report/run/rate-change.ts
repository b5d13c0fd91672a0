/** Why the rate of an iteration differs from the one before: how much the evaluation's repairs did, and how much the subject. */
import type { Results, SampleResult } from '../../scenario/result.ts';
import type { IterationSummary } from './run-summary.ts';

export type RateChange = {
  /** Shares of one; both add up to the whole change. */
  evaluation: number;
  subject: number;
  /** Samples whose outcome moved although nothing that decides it was changed, and those where something was. */
  bySubject: string[];
  byRepair: string[];
  added: string[];
  removed: string[];
  /** Files of components, by path. */
  changedFiles: string[];
  otherDesign: boolean;
};

/** Undefined when one of both is older than the digests of components, and nothing can be said. */
export function rateChange(now: Results, before: Results): RateChange | undefined {
  const [files, earlier] = [now.components, before.components];
  if (files === undefined || earlier === undefined) return undefined;
  const changed = [...new Set([...Object.keys(earlier), ...Object.keys(files)])].filter(
    (path) => earlier[path] !== files[path],
  );
  const otherDesign = now.designDigest !== before.designDigest;
  const known = new Map(scored(before).map((sample) => [sample.id, sample]));
  const pairs = scored(now).flatMap((sample) => {
    const was = known.get(sample.id);
    return was === undefined ? [] : [{ was, is: sample }];
  });
  const isTouched = ({ was, is }: Pair): boolean =>
    otherDesign || [...(was.uses ?? []), ...(is.uses ?? [])].some((path) => changed.includes(path));
  const moved = pairs.filter(({ was, is }) => was.outcome !== is.outcome);
  const [repaired, unchanged] = [moved.filter(isTouched), moved.filter((pair) => !isTouched(pair))];
  const whole = now.successRate - before.successRate;
  const subject = pairs.length === 0 ? 0 : gain(unchanged) / pairs.length;
  return {
    // Samples that came or went are the evaluation's doing too.
    evaluation: whole - subject,
    subject,
    bySubject: idsOf(unchanged),
    byRepair: idsOf(repaired),
    added: now.samples.filter(({ id }) => before.samples.every((one) => one.id !== id)).map(({ id }) => id),
    removed: before.samples.filter(({ id }) => now.samples.every((one) => one.id !== id)).map(({ id }) => id),
    changedFiles: changed.toSorted(),
    otherDesign,
  };
}

type Pair = { was: SampleResult; is: SampleResult };

function scored({ samples }: Results): SampleResult[] {
  return samples.filter(({ outcome }) => outcome !== 'unscored');
}

function gain(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { is }) => sum + (is.outcome === 'pass' ? 1 : -1), 0);
}

function idsOf(pairs: readonly Pair[]): string[] {
  return pairs.map(
    ({ is, was }) => `${is.id} (${is.outcome === 'pass' ? 'now passes' : `now fails, was ${was.outcome}`})`,
  );
}

export type ChangeRow = { from: number; to: number; whole: number; change: RateChange | undefined; notes: string[] };

/** One row for each iteration after the first that was evaluated. */
export function changeRows(iterations: readonly IterationSummary[]): ChangeRow[] {
  const evaluated = iterations.flatMap(({ results }) => (results === undefined ? [] : [results]));
  return evaluated.slice(1).flatMap((now, index) => {
    const before = evaluated[index];
    if (before === undefined) return [];
    const whole = now.successRate - before.successRate;
    const { notes = [] } = now;
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

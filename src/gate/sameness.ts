/** Which gates of a batch one decision can answer: those where the reviewer would read exactly the same again. */
import type { ReviewPack } from './rules/review-pack.ts';

/** What is needed of a run whose gate waits. */
export type BatchGate = {
  run: string;
  dir: string;
  gate: string;
  digest: string;
  /** Of the scenario's brief and sources: another brief makes the same words mean something else. */
  scenarioDigest: string;
  pack: ReviewPack;
  /** True when the design that this one is compared with was approved by a person. */
  baseByPerson: boolean;
};

export type Sameness =
  /** The design is the same, file by file. */
  | 'same design'
  /** Other designs, but the same change of designs that people have approved. */
  | 'same change';

/** Undefined when a person must look. */
export function gateSameness(read: BatchGate, other: BatchGate): Sameness | undefined {
  if (read.scenarioDigest !== other.scenarioDigest || read.pack.scenario !== other.pack.scenario) return undefined;
  if (!sameNotes(read.pack, other.pack)) return undefined;
  if (read.digest === other.digest) return 'same design';
  return read.baseByPerson && other.baseByPerson && sameChange(read.pack, other.pack) ? 'same change' : undefined;
}

/** The agent's reasons and questions and the machine's checks are read too; an older comment may still be unanswered. */
function sameNotes(one: ReviewPack, other: ReviewPack): boolean {
  const read = ({ summary, checks, questions, comments, effect }: ReviewPack) =>
    JSON.stringify([summary, checks, questions, comments.map(({ text, addressed }) => [text, addressed]), effect.text]);
  return read(one) === read(other);
}

function sameChange(one: ReviewPack, other: ReviewPack): boolean {
  const read = ({ since }: ReviewPack) => JSON.stringify([since.rules, since.format, since.diff]);
  return one.since.round !== null && one.since.diff !== '' && read(one) === read(other);
}

/** Gates that one decision answers, oldest first; a group of one must be read by itself. */
export function groupGates(gates: readonly BatchGate[]): BatchGate[][] {
  const groups: BatchGate[][] = [];
  for (const gate of gates) {
    const found = groups.find(([first]) => first !== undefined && gateSameness(first, gate) !== undefined);
    if (found === undefined) groups.push([gate]);
    else found.push(gate);
  }
  return groups;
}

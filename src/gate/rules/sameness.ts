/** Whether one decision may answer two gates: the only place that says so, for the page, the terminal and batches. */
import type { GateDecision } from './gate.ts';
import type { ReviewPack } from './review-pack.ts';

/** The parts of a run's state that count here. */
type RunContext = { origin: { scenarioDigest: string }; decisions: readonly GateDecision[] };

/** A gate as three texts, each of which has to be equal or not: made once per gate, compared often. */
export type GateReading = {
  /** Scenario, brief, and everything that a reviewer reads apart from the design. */
  question: string;
  /** The design to be decided on, and the one that it is compared with. */
  design: string;
  /** The change, in full. Undefined when it cannot represent the design: then only the same design is the same. */
  change: string | undefined;
};

export type Sameness =
  /** The designs are the same, file by file, on both sides of the change. */
  | 'same design'
  /** Other designs, but the same change, byte by byte, of designs that people have approved. */
  | 'same change';

/** `digest` is that of the design to be decided on, which an edit may have changed since the pack was frozen. */
export function gateReading(state: RunContext, pack: ReviewPack, digest: string): GateReading {
  const { scenario, summary, checks, questions, effect, since } = pack;
  const comments = pack.comments.map(({ text, addressed }) => [text, addressed]);
  const notes = [summary, checks, questions, comments, effect.text, since.rules, since.format];
  const before = since.files?.map(({ name, before: base }) => [name, base]) ?? [since.round, since.diff];
  return {
    question: JSON.stringify([scenario, state.origin.scenarioDigest, ...notes]),
    design: JSON.stringify([digest, before]),
    change: isWholeChange(state, pack, digest) ? JSON.stringify([changedFiles(pack), since.diff]) : undefined,
  };
}

/** Undefined when a person must read the other gate too. */
export function gateSameness(one: GateReading, other: GateReading): Sameness | undefined {
  if (one.question !== other.question) return undefined;
  if (one.design === other.design) return 'same design';
  return one.change !== undefined && one.change === other.change ? 'same change' : undefined;
}

/** Contract: every gate of a group is the same as its first one. Groups and gates stay in the order given. */
export function groupGates<Gate extends { reading: GateReading }>(gates: readonly Gate[]): Gate[][] {
  const groups: Gate[][] = [];
  const byQuestion = new Map<string, Gate[][]>();
  for (const gate of gates) {
    const alike = byQuestion.get(gate.reading.question) ?? [];
    const found = alike.find(([first]) => first !== undefined && gateSameness(first.reading, gate.reading));
    if (found !== undefined) {
      found.push(gate);
      continue;
    }
    const group = [gate];
    groups.push(group);
    byQuestion.set(gate.reading.question, [...alike, group]);
  }
  return groups;
}

/** False for a difference that was cut short or edited since, or whose base no person has approved. */
function isWholeChange({ decisions }: RunContext, { since, designDigest }: ReviewPack, digest: string): boolean {
  const base = decisions.findLast(({ round, decision }) => round === since.round && decision.endsWith('approve'));
  return (
    since.files !== undefined &&
    since.diffIncomplete !== true &&
    since.diff !== '' &&
    digest === designDigest &&
    base?.actor.startsWith('user:') === true
  );
}

/** Which files the change touches, by their digests and not by the text of the difference. */
function changedFiles({ since }: ReviewPack): string[] {
  return (since.files ?? []).filter(({ before, after }) => before !== after).map(({ name }) => name);
}

/** One change of a component: its kind, its place and both texts; and which of many are tried. */
export const MUTATION_KINDS = [
  'drop-condition',
  'shift-boundary',
  'swap-field',
  'ignore-argument',
  'empty-branch',
  'change-constant',
  'other-zone',
] as const;
export type MutationKind = (typeof MUTATION_KINDS)[number];

export type Mutant = {
  kind: MutationKind;
  /** Counted from 1. */
  line: number;
  was: string;
  now: string;
  /** A condition that refuses, in words: no path of a sample comes to it where the mutant survives. */
  guard?: { line: number; says: string } | undefined;
  /** True for what is tried beyond the most mutants of a component: it is not counted. */
  isExtra?: boolean;
};

/** The component itself in another time zone, which must make no difference. */
export const OTHER_ZONE: Mutant = { kind: 'other-zone', line: 1, was: '', now: '', isExtra: true };

/** A mutant of a text: the place in it, and the new text of that place. */
export type TextMutant = Mutant & { start: number; end: number };

const MOST_CHARS = 80;

/** Formats source as one line of a report. */
export function shownSource(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1)}…` : line;
}

/** Picks at most `most` elements evenly from the whole list; the choice depends on the list alone. */
export function sampleEvenly<One>(list: readonly One[], most: number): One[] {
  if (list.length <= most) return [...list];
  const step = list.length / most;
  return Array.from({ length: most }, (_, index) => list[Math.floor(index * step)]).filter((one) => one !== undefined);
}

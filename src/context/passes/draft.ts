/** What a pass works on: which units stay, and which of their results are shortened. */
import type { Unit } from '../../transcript/step.ts';
import type { Policy } from '../policy.ts';

export type Draft = {
  /** The first unit that stays; `units.length` when none does. At least 1: something must be covered. */
  keepFrom: number;
  /** tool_use id -> what stands instead of the result. */
  shortened: Record<string, string>;
};

export type Bench = { units: readonly Unit[]; policy: Policy };

/** One try of a pass, and what to say about it in the receipt. */
export type Try = { draft: Draft; detail: string };

/** Yields its tries from the mildest on; the ladder stops at the first that fits and goes on from the last otherwise. */
export type Pass = (draft: Draft, bench: Bench) => Iterable<Try>;

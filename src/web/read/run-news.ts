/** Run status, in the few words that an open page receives. */
import type { RunState } from '../../run/state.ts';

export type News = {
  /** Events so far: when this grows, something has happened. */
  length: number;
  status: string;
  round: number;
  iteration: number;
  /** The gate that waits and the design that it waits with; empty when none does. */
  gate: string;
  digest: string;
  /** Progress of the live attempt; empty when none is running. */
  work: string;
};

export function runNews(state: RunState): Omit<News, 'work'> {
  const { length, status, round, iteration } = state;
  const open = state.status === 'awaiting_approval' ? state.gate : undefined;
  return { length, status, round, iteration, gate: open?.id ?? '', digest: open?.digest ?? '' };
}

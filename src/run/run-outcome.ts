/** How a run ended and why, in words that name the limit or the person who ended it. */

export const FINAL_STATUSES = ['succeeded', 'failed', 'rejected', 'expired', 'cancelled'] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

export type RunOutcome = {
  status: FinalStatus;
  /** The limit, or who: machines branch on this, people read `why`. */
  because: 'target' | 'iteration_cap' | 'round_cap' | 'patience' | 'reviewer' | 'expiry' | 'cancel';
  why: string;
};

/** The run of the refund desk at other moments: at its first gate, at its second, after one iteration. */
import type { RunSummary } from '../../src/report/run/run-summary.ts';
import type { Results } from '../../src/scenario/result.ts';
import { refundDesk } from './refund-desk.ts';

export const waitingDesk = refundDesk({
  status: 'awaiting_approval',
  why: 'Design r1 waits.',
  rounds: [{ round: 1, digest: '4be2a9c01f77d3aa51e0', comment: '', rules: 10 }],
  iterations: [],
  compactions: [],
  policyActors: [],
});

export const deskAtSecondGate = refundDesk({
  status: 'awaiting_approval',
  rounds: [...refundDesk().rounds.slice(0, 1), { round: 2, digest: 'c83d1e5520ab66f0', comment: '', rules: 11 }],
});

/** The first iteration alone, with these results. */
export function withResults(one: Results): RunSummary['iterations'] {
  return refundDesk()
    .iterations.slice(0, 1)
    .map((first) => ({ ...first, results: one }));
}

/** Exit codes (docs/ci.md, "What an exit code means"): what a CI job may rely on. */
import { HarnessError, type ErrorCode } from '../errors.ts';
import { readMeaning } from '../ports/answer-meaning.ts';
import type { RunState } from '../run/state.ts';
import { TimeSliceUsed } from './ci/time-slice.ts';

export const EXIT = {
  met: 0,
  notMet: 1,
  usage: 2,
  rejected: 3,
  waiting: 4,
  budget: 5,
  infrastructure: 6,
  timeSlice: 7,
  needsPerson: 8,
  /** Nobody caught an error, which is a fault of Tandem itself. */
  fault: 70,
  interrupted: 130,
} as const;

export const EXIT_MEANS: Readonly<Record<keyof typeof EXIT, string>> = {
  met: 'target met',
  notMet: 'finished, not met',
  usage: 'usage or config',
  rejected: 'rejected, expired or cancelled',
  waiting: 'waiting at a gate',
  budget: 'paused by budget',
  infrastructure: 'provider or infrastructure gave up, safe to run again',
  timeSlice: 'time slice used up, run again',
  needsPerson: 'stuck until a person changes something',
  fault: 'an error that nobody caught: a fault of Tandem itself',
  interrupted: 'stopped by a signal (143 by SIGTERM)',
};

export function getExitCode(state: RunState): number {
  switch (state.status) {
    case 'succeeded':
      return EXIT.met;
    case 'failed':
      return EXIT.notMet;
    case 'rejected':
    case 'expired':
    case 'cancelled':
      return EXIT.rejected;
    case 'awaiting_approval':
      return EXIT.waiting;
    case 'paused':
      return state.pause.reason === 'budget' ? EXIT.budget : EXIT.infrastructure;
    case 'errored':
      return isPassing(state.failure.code) ? EXIT.infrastructure : EXIT.needsPerson;
    case 'created':
    case 'designing':
    case 'executing':
      return EXIT.infrastructure;
    default:
      return state satisfies never;
  }
}

/** Orders the codes of many runs by severity: the batch takes the first that occurs, and 0 only when all are 0. */
const WORST_FIRST = [
  EXIT.usage,
  EXIT.needsPerson,
  EXIT.infrastructure,
  EXIT.rejected,
  EXIT.notMet,
  EXIT.budget,
  EXIT.waiting,
  EXIT.timeSlice,
] as const;

export function worstExit(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? Math.max(EXIT.met, ...codes);
}

/** A person's input or settings are wrong, and nothing was written. */
const USAGE: readonly ErrorCode[] = [
  'usage',
  'config_invalid',
  'not_found',
  'version_mismatch',
  'unsafe_policy',
  'sandbox_unavailable',
  'gate_refused',
];

/** Errors after which the same command may succeed later, with nothing changed. */
const PASSING: readonly ErrorCode[] = ['model_unavailable', 'infrastructure', 'attempt_lost', 'journal_conflict'];

export function getErrorExitCode(error: unknown): number {
  if (isUsageError(error)) return EXIT.usage;
  if (error instanceof TimeSliceUsed) return EXIT.timeSlice;
  if (!(error instanceof HarnessError)) return EXIT.infrastructure;
  if (error.code === 'budget_exceeded') return EXIT.budget;
  // A problem with the account is fixed elsewhere, and then the same command continues.
  return isPassing(error.code) || readMeaning(error) === 'account' ? EXIT.infrastructure : EXIT.needsPerson;
}

export function isUsageError(error: unknown): boolean {
  return error instanceof HarnessError && USAGE.includes(error.code);
}

function isPassing(code: string): boolean {
  return PASSING.some((passing) => passing === code);
}

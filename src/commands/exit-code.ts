/** Exit codes (DESIGN.md, "Command line"): what a CI job may rely on. */
import { HarnessError, type ErrorCode } from '../errors.ts';
import type { RunState } from '../run/state.ts';

export const EXIT = {
  met: 0,
  notMet: 1,
  usage: 2,
  rejected: 3,
  waiting: 4,
  budget: 5,
  infrastructure: 6,
  timeSlice: 7,
  interrupted: 130,
} as const;

export function exitCodeOf(status: RunState['status'], pausedFor?: 'user' | 'budget' | 'provider'): number {
  switch (status) {
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
      return pausedFor === 'budget' ? EXIT.budget : EXIT.infrastructure;
    case 'created':
    case 'designing':
    case 'executing':
    case 'errored':
      return EXIT.infrastructure;
    default:
      return status satisfies never;
  }
}

const USAGE: readonly ErrorCode[] = [
  'usage',
  'config_invalid',
  'not_found',
  'version_mismatch',
  'unsafe_policy',
  'sandbox_unavailable',
  'gate_refused',
];

export function exitCodeOfError(error: unknown): number {
  if (error instanceof HarnessError) return USAGE.includes(error.code) ? EXIT.usage : EXIT.infrastructure;
  return EXIT.infrastructure;
}

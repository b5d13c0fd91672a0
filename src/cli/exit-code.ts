/** Exit codes (docs/ci.md, "What an exit code means"): what a CI job may rely on. */
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

export function exitCodeOf(state: RunState): number {
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
      // Running it again cannot help until something is changed, such as a recording that lacks a call.
      return isUsage(state.failure.code) ? EXIT.usage : EXIT.infrastructure;
    case 'created':
    case 'designing':
    case 'executing':
      return EXIT.infrastructure;
    default:
      return state satisfies never;
  }
}

function isUsage(code: string): boolean {
  return USAGE.some((usage) => usage === code);
}

/** Of many runs: broken before refused, refused before missed, missed before unfinished; 0 only when all are 0. */
const WORST_FIRST = [
  EXIT.usage,
  EXIT.infrastructure,
  EXIT.rejected,
  EXIT.notMet,
  EXIT.budget,
  EXIT.waiting,
  EXIT.timeSlice,
] as const;

export function worstExit(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.met;
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
  if (error instanceof HarnessError) return isUsage(error.code) ? EXIT.usage : EXIT.infrastructure;
  return EXIT.infrastructure;
}

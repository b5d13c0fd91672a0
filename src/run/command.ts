/** The one thing to do next for a run. */
import type { RoundReason } from './state.ts';
import type { RunOutcome } from './run-outcome.ts';

export type Command =
  | { type: 'start' }
  | { type: 'design'; round: number; reason: RoundReason }
  | { type: 'iterate'; round: number; iteration: number; designDigest: string }
  /** Nothing for a worker: a person must act first. `why` names who and how. */
  | { type: 'wait'; for: 'decision' | 'resume' | 'retry' | 'other_version'; why: string }
  | { type: 'none'; verdict: RunOutcome };

/** Two commands with the same name are the same step: `design.r2`, `execute.i1`, or else the command's type. */
export function stepName(command: Command): string {
  switch (command.type) {
    case 'design':
      return `design.r${command.round}`;
    case 'iterate':
      return `execute.i${command.iteration}`;
    default:
      return command.type;
  }
}

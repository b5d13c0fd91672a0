/** Derives from a state the one command that moves the run on; it is pure, so every worker computes the same one. */
import { leaveOutRemedy } from '../errors.ts';
import { missingText } from '../gate/rules/quorum.ts';
import type { Command } from './command.ts';
import { MACHINE_VERSION } from './event.ts';
import type { RunState } from './state.ts';

export function decide(state: RunState): Command {
  if (isLive(state) && state.origin.machineVersion > MACHINE_VERSION) return otherVersion(state.origin.machineVersion);
  switch (state.status) {
    case 'created':
      return { type: 'start' };
    case 'designing':
      return { type: 'design', round: state.round, reason: state.reason };
    case 'awaiting_approval':
      return { type: 'wait', for: 'decision', why: gateText(state) };
    case 'executing':
      return { type: 'iterate', round: state.round, iteration: state.iteration, designDigest: state.designDigest };
    case 'paused':
      return { type: 'wait', for: 'resume', why: leaveOutRemedy(state.pause.detail) };
    case 'errored':
      return { type: 'wait', for: 'retry', why: `${state.failure.step} failed: ${state.failure.message}` };
    default:
      return { type: 'none', verdict: state.verdict };
  }
}

/** Returns true while the run has not ended, and so also when it is paused or errored. */
export function isLive(state: RunState): boolean {
  return !('verdict' in state);
}

function gateText({ gate }: Extract<RunState, { status: 'awaiting_approval' }>): string {
  const missing = gate.need === 1 ? '' : `: ${missingText(gate)}`;
  return `${gate.id}${missing}, design ${gate.digest.slice(0, 12)}`;
}

/** A newer machine's run can be shown and cancelled, but its steps may mean something unknown to this program. */
function otherVersion(version: number): Command {
  const why = `made by a newer Tandem (machine version ${version}, here ${MACHINE_VERSION}): update to carry it on`;
  return { type: 'wait', for: 'other_version', why };
}

/** Lists the commands that continue a run from any state in which it rests. */
import { standingText } from '../../gate/rules/quorum.ts';
import type { RunState } from '../../run/state.ts';

/** Failures that a stored answer may cause again on every try. */
const MADE_BY_ANSWERS: ReadonlySet<string> = new Set([
  'agent_stopped',
  'protocol_violation',
  'model_refused',
  'context_overflow',
]);

/** Each line is a whole command, so that it can be pasted even from a narrow screen. */
export function decisionLines(run: string, designDigest: string): string[] {
  const digest = designDigest.slice(0, 16);
  return [
    `decide   tandem gates approve ${run} --digest ${digest}`,
    `         tandem gates request-changes ${run} --digest ${digest} --comment "…"`,
  ];
}

/** Lists the next commands for a resting run; with `isHandedOver` workers carry it on, even when nobody watches. */
export function nextSteps(run: string, state: RunState, isHandedOver = false): string[] {
  switch (state.status) {
    case 'awaiting_approval':
      return [
        `gate     ${state.gate.id}   digest ${state.gate.digest}`,
        `read     tandem gates show ${run}`,
        ...decisionLines(run, state.gate.digest),
        isHandedOver
          ? `go on    workers carry it on after the decision; to watch: tandem resume ${run}`
          : `go on    tandem resume ${run}`,
      ];
    case 'paused':
      return [`go on    tandem resume ${run}${state.pause.reason === 'budget' ? ' --raise 5' : ''}`];
    case 'errored':
      return [
        `go on    tandem resume ${run}`,
        ...(MADE_BY_ANSWERS.has(state.failure.code)
          ? [`         tandem resume ${run} --discard-last-answer   if it fails the same way again`]
          : []),
      ];
    case 'created':
    case 'designing':
    case 'executing':
      return isHandedOver
        ? [
            'go on    workers carry it on: nothing is to be done',
            `where    tandem queue why ${run}`,
            `watch    tandem resume ${run}`,
          ]
        : [`go on    tandem resume ${run}   unless a command is at work on it`];
    default:
      return [];
  }
}

/** Describes in one sentence what follows a decision at a gate. */
export function nextAfterDecision(run: string, state: RunState, isHandedOver: boolean): string {
  if (state.status === 'awaiting_approval') return standingText(state.gate);
  if ('verdict' in state) return 'The run has ended.';
  return isHandedOver ? 'Workers carry the run on.' : `Go on: tandem resume ${run}`;
}

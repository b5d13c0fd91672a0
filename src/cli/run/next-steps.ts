/** The commands that go on with a run, wherever it rests. */
import type { RunState } from '../../run/state.ts';

/** Failures that a remembered answer may bring back each time. */
const MADE_BY_ANSWERS: ReadonlySet<string> = new Set([
  'agent_stopped',
  'protocol_violation',
  'model_refused',
  'context_overflow',
]);

/** Each a whole command, so that it can be pasted however narrow the screen is. */
export function decisionLines(run: string, designDigest: string): string[] {
  const digest = designDigest.slice(0, 16);
  return [
    `decide   tandem gates approve ${run} --digest ${digest}`,
    `         tandem gates request-changes ${run} --digest ${digest} --comment "…"`,
  ];
}

/** What to type next, for every state in which a run can rest. `isHandedOver`: workers carry it on, whoever looks. */
export function nextSteps(run: string, state: RunState, isHandedOver = false): string[] {
  switch (state.status) {
    case 'awaiting_approval':
      return [
        `gate     ${state.gate.id}   digest ${state.gate.digest}`,
        `read     tandem gates show ${run}`,
        ...decisionLines(run, state.gate.digest),
        `go on    tandem resume ${run}`,
      ];
    case 'paused':
      return [`go on    tandem resume ${run}${state.pause.reason === 'budget' ? ' --raise 5' : ''}`];
    case 'errored':
      return [
        `why      ${state.failure.step}: ${state.failure.message}`,
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

/** Lists the commands that continue a run from any state in which it rests. */
import { standingText } from '../../gate/rules/quorum.ts';
import { describeNextStep, type RunCarrier } from '../../report/run/next-step.ts';
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

/** Lists the next commands of a run; one that has ended has none. */
export function nextSteps(run: string, state: RunState, carrier: RunCarrier = 'nothing'): string[] {
  const { text, command } = describeNextStep({ run, state, carrier });
  switch (state.status) {
    case 'awaiting_approval':
      return [
        `gate     ${state.gate.id}   digest ${state.gate.digest}`,
        `read     ${command}`,
        ...decisionLines(run, state.gate.digest),
        carrier === 'workers'
          ? `go on    workers carry it on after the decision; to watch: tandem resume ${run}`
          : `go on    tandem resume ${run}`,
      ];
    case 'created':
    case 'designing':
    case 'executing':
      return carrier === 'nothing' ? [`go on    ${command}`] : [`go on    ${text} ${command}`];
    case 'paused':
    case 'errored':
      return [
        `go on    ${command}`,
        ...(state.status === 'errored' && MADE_BY_ANSWERS.has(state.failure.code)
          ? [`         tandem resume ${run} --discard-last-answer   if it fails the same way again`]
          : []),
      ];
    default:
      return [];
  }
}

/** Describes in one sentence what follows a decision at a gate. */
export function nextAfterDecision(run: string, state: RunState, carrier: RunCarrier): string {
  if (state.status === 'awaiting_approval') return standingText(state.gate);
  const { text, command } = describeNextStep({ run, state, carrier });
  return `${text} ${command}`;
}

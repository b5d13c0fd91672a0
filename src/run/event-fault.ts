/** Decides which event fits which state; any other event is refused at append and never ignored later. */
import { gateId, mayEverDecide } from '../gate/rules/gate.ts';
import { isSameActor } from '../gate/rules/same-actor.ts';
import type { EventBody, RunLimits } from './event.ts';
import { LIVE_STATUSES, type RunState } from './state.ts';
import { FINAL_STATUSES } from './run-outcome.ts';
import { stepAtWork } from './steering.ts';
import { formatStepName, undoFault } from './undo.ts';

type Status = RunState['status'];
type Body<Type extends EventBody['type']> = Extract<EventBody, { type: Type }>;

const FITS: Readonly<Record<EventBody['type'], readonly Status[]>> = {
  'run.created': [],
  'run.started': ['created'],
  'design.done': ['designing'],
  'gate.decided': ['awaiting_approval'],
  'gate.undone': ['awaiting_approval', 'designing', 'executing', 'rejected', 'failed', 'paused', 'errored'],
  'step.begun': ['designing', 'executing'],
  'chat.exchanged': [...LIVE_STATUSES, 'paused', 'errored', ...FINAL_STATUSES],
  'agent.steered': ['designing', 'executing', 'paused', 'errored'],
  'agent.heard': ['designing', 'executing'],
  'gate.commented': ['awaiting_approval'],
  'gate.reminded': ['awaiting_approval'],
  'gate.expired': ['awaiting_approval'],
  'iteration.done': ['executing'],
  'design.returned': ['executing'],
  'run.paused': LIVE_STATUSES,
  'run.resumed': ['paused'],
  'run.cancelled': [...LIVE_STATUSES, 'paused', 'errored'],
  'step.failed': LIVE_STATUSES,
  'run.retried': ['errored'],
};

/** Explains why the event does not fit; undefined when it does. `state` is undefined before the first event. */
export function findEventFault(state: RunState | undefined, body: EventBody, actor: string): string | undefined {
  if (state === undefined) {
    return body.type === 'run.created'
      ? limitsFault(body.limits)
      : `${body.type} needs a run, and this one is not created yet`;
  }
  if (body.type === 'run.created') return 'the run is created already';
  if (!FITS[body.type].includes(state.status)) {
    return `${body.type} needs a run that is ${FITS[body.type].join(' or ')}, and this one is ${state.status}`;
  }
  return contentFault(state, body, actor);
}

function contentFault(state: RunState, body: EventBody, actor: string): string | undefined {
  switch (body.type) {
    case 'design.done':
      return designFault(state, body);
    case 'gate.decided':
      return state.status === 'awaiting_approval' ? decisionFault(state, body, actor) : undefined;
    case 'chat.exchanged':
      return exchangeFault(state, body, actor);
    case 'agent.steered':
      return steeringFault(state, body, actor);
    case 'agent.heard':
      return body.said < state.length ? undefined : `there is no event ${body.said} to read`;
    case 'gate.commented':
      return state.status === 'awaiting_approval' ? commentFault(state, body, actor) : undefined;
    case 'gate.undone':
      return undoFault(state, body, actor);
    case 'step.begun':
      return body.step === formatStepName(state)
        ? undefined
        : `the next step is ${formatStepName(state)}, not ${body.step}`;
    case 'gate.reminded':
    case 'gate.expired':
      return body.gate === gateId(state.round) ? undefined : otherGate(body.gate, state.round);
    case 'iteration.done':
    case 'design.returned':
      return state.status === 'executing' ? iterationFault(state, state.designDigest, body) : undefined;
    case 'run.resumed':
      return isAmount(body.raiseUsd ?? 0) ? undefined : 'a raise is a finite number of dollars, not below 0';
    default:
      return undefined;
  }
}

/** Checks the limits that make every run end; without them a run might never stop. */
function limitsFault(limits: RunLimits): string | undefined {
  const counts = [limits.maxIterations, limits.maxRounds, limits.patience];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 1)) {
    return 'maxIterations, maxRounds and patience are whole numbers from 1';
  }
  if (!(limits.target > 0 && limits.target <= 1)) return 'the target is a rate above 0 and at most 1';
  return isAmount(limits.budgetUsd) && limits.budgetUsd > 0
    ? undefined
    : 'the budget is a finite number of dollars above 0';
}

function designFault(state: RunState, body: Body<'design.done'>): string | undefined {
  if (body.round !== state.round) return `the run is in round ${state.round}, the design is of round ${body.round}`;
  if (body.digest === '' || body.packDigest === '')
    return 'a design is named by its digest and by that of its review pack';
  if (!isCount(body.rules)) return 'rules is a count';
  return isCount(body.need) && body.need >= 1 ? undefined : 'need is the number of people who must approve, from 1';
}

type WaitingState = Extract<RunState, { status: 'awaiting_approval' }>;

function decisionFault(state: WaitingState, body: Body<'gate.decided'>, actor: string): string | undefined {
  const { gate } = state;
  if (!mayEverDecide(actor))
    return `${JSON.stringify(actor)} may not decide a gate: only user:<name> and policy:<name> may`;
  if (body.gate !== gate.id || body.round !== gate.round) return otherGate(body.gate, state.round);
  if (body.digest !== gate.digest)
    return `${gate.id} is about digest ${gate.digest}, the decision about ${body.digest}`;
  if (body.nonce === '') return 'a decision carries a nonce';
  const known = [...state.decisions, ...state.undone.map(({ decision }) => decision)];
  if (known.some(({ nonce }) => nonce === body.nonce)) return 'this decision was recorded already: its nonce is known';
  if (body.decision === 'approve' && gate.approvals.some((earlier) => isSameActor(earlier, actor))) {
    return `${actor} has approved ${gate.id} already`;
  }
  return editFault(body);
}

function editFault({ decision, digest, editedDigest }: Body<'gate.decided'>): string | undefined {
  if (decision !== 'edit_approve')
    return editedDigest === undefined ? undefined : `${decision} carries no edited digest`;
  if (editedDigest === undefined || editedDigest === '') return 'edit_approve needs the digest of the edited design';
  return editedDigest === digest ? 'the edited design is the same as the one shown: approve it instead' : undefined;
}

function iterationFault(
  state: RunState,
  designDigest: string,
  body: Body<'iteration.done'> | Body<'design.returned'>,
): string | undefined {
  if (body.iteration !== state.iteration)
    return `iteration ${state.iteration} is being worked on, not ${body.iteration}`;
  if (body.round !== state.round) return `the run is in round ${state.round}, the results are of round ${body.round}`;
  if (body.designDigest !== designDigest) return `the results were judged under another design (${body.designDigest})`;
  if (!isRate(body.successRate) || !isRate(body.lowerBound)) return 'successRate and lowerBound are between 0 and 1';
  const counts = [body.passed, body.total, body.unscored, ...Object.values(body.layers).map((count) => count ?? 0)];
  if (!counts.every(isCount)) return 'passed, total, unscored and layers are counts';
  if (body.passed > body.total) return `${body.passed} cannot have passed of ${body.total}`;
  if (body.outputDir === '') return 'the iteration names its output folder';
  return body.type === 'design.returned' && body.problems.length === 0
    ? 'a design is returned with its problems'
    : undefined;
}

function exchangeFault(state: RunState, body: Body<'chat.exchanged'>, actor: string): string | undefined {
  if (!actor.startsWith('user:')) return `${JSON.stringify(actor)} asks nothing: only a person does`;
  const known = state.designs.some(({ round }) => round === body.round) && body.gate === gateId(body.round);
  return known ? undefined : `there is no design of round ${body.round} to ask about at ${body.gate}`;
}

function steeringFault(state: RunState, body: Body<'agent.steered'>, actor: string): string | undefined {
  if (!actor.startsWith('user:')) return `${JSON.stringify(actor)} steers nothing: only a person does`;
  const step = stepAtWork(state);
  if (body.step !== step) return `${step ?? 'no agent'} is at work, not ${body.step}`;
  return body.files === undefined || 'prev' in state ? undefined : `${step} goes on: its files are its agent's`;
}

/** Actors that may comment: people and their agents, but not the agents that work on the run. */
const COMMENTERS = /^(?:user:|agent:mcp(?:-|$))/;

function commentFault({ gate }: WaitingState, body: Body<'gate.commented'>, actor: string): string | undefined {
  if (!COMMENTERS.test(actor)) return `${JSON.stringify(actor)} says nothing at a gate: people and agent:mcp-<name> do`;
  if (body.to !== undefined && !actor.startsWith('user:')) return `${actor} hands no gate over: only people do`;
  if (body.gate !== gate.id || body.round !== gate.round) return otherGate(body.gate, gate.round);
  return body.digest === gate.digest ? undefined : `${gate.id} is about digest ${gate.digest} now`;
}

function otherGate(gate: string, round: number): string {
  return `${gate} is not the gate of round ${round}, which is ${gateId(round)}`;
}

const isRate = (value: number): boolean => value >= 0 && value <= 1;
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isAmount = (value: number): boolean => Number.isFinite(value) && value >= 0;

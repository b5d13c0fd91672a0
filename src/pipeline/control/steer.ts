/** Sends a person's message to the agent at work in a run: recorded first, read by the agent before its next call. It never answers a gate. */
import { HarnessError, usageError } from '../../errors.ts';
import { mayEverDecide } from '../../gate/rules/gate.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { listSteering, stepAtWork, type Steering } from '../../run/steering.ts';
import { transact } from '../../run-folder/snapshot.ts';

const MOST_CHARS = 8000;

export type SteeringMessage = { text: string; actor: string; via: string; nonce: string };

/** Contract: `gate_refused` for an actor who may not decide here, `usage` where no agent is at work; a repeated nonce has no effect. */
export async function steer(
  run: RunFolder,
  { text, actor, via, nonce }: SteeringMessage,
  deciders?: readonly string[],
): Promise<Steering> {
  refuseStranger(actor, deciders, 'steer an agent');
  if (text.trim() === '') throw usageError('Say something: what should the agent do differently?');
  if (text.length > MOST_CHARS) throw usageError(`What an agent is told at work has at most ${MOST_CHARS} characters.`);
  const { after } = await transact(
    run,
    ({ events, state }) => {
      if (listSteering(events).some((one) => one.nonce === nonce)) return undefined;
      const step = getStepAtWork(run, state);
      return { type: 'agent.steered', step, text: text.toWellFormed(), via, nonce };
    },
    actor,
  );
  const words = listSteering(after.events).find((one) => one.nonce === nonce);
  if (words === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost what was said to its agent.`);
  return words;
}

/** Contract: `usage` with advice where no agent is at work. */
function getStepAtWork({ id }: Pick<RunFolder, 'id'>, state: RunState): string {
  const step = stepAtWork(state);
  if (step !== undefined) return step;
  if (state.status === 'created') throw usageError(`No agent of run ${id} has begun: try again shortly.`);
  const waits = state.status === 'paused' || state.status === 'errored' ? state.prev : state;
  throw waits.status === 'awaiting_approval'
    ? usageError(`Run ${id} waits at ${waits.gate.id}, where a decision is needed: tandem gates review ${id}`)
    : usageError(`Run ${id} is ${state.status}: no agent is at work in it any more.`);
}

/** Only a person who may decide at the gates speaks to an agent; `what` is what the others may not. */
export function refuseStranger(actor: string, deciders: readonly string[] | undefined, what: string): void {
  const isPerson = mayEverDecide(actor) && actor.startsWith('user:');
  if (isPerson && (deciders === undefined || deciders.some((one) => isSameActor(one, actor)))) return;
  throw new HarnessError(
    'gate_refused',
    `${JSON.stringify(actor)} may not ${what}: who may decide here may, and config/reviewers.yaml lists who that is.`,
    { details: { refusal: 'not_allowed' } },
  );
}

/** Sends a person's message to the agent at work in a run: recorded first, read by the agent before its next call. It never answers a gate. */
import { HarnessError, usageError } from '../../errors.ts';
import { mayEverDecide } from '../../gate/rules/gate.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { listSteering, stepAtWork, type ChangedFile, type Steering } from '../../run/steering.ts';
import { transact } from '../../run-folder/snapshot.ts';

const MOST_CHARS = 8000;
/** Limit for all files of one turn together, because they are stored in the journal. */
const MOST_FILE_CHARS = 1_000_000;

/** `changed` holds files of this step as a person left them while it was paused. */
export type SteeringMessage = {
  text: string;
  actor: string;
  via: string;
  nonce: string;
  changed?: { step: string; files: ChangedFile[] };
};

/** Contract: `gate_refused` for an actor who may not decide here, `usage` where no agent is at work; a repeated nonce has no effect. */
export async function steer(
  run: RunFolder,
  { text, actor, via, nonce, changed }: SteeringMessage,
  deciders?: readonly string[],
): Promise<Steering> {
  checkMaySteer(actor, deciders);
  if (text.trim() === '') throw usageError('Say something: what should the agent do differently?');
  if (text.length > MOST_CHARS) throw usageError(`What an agent is told at work has at most ${MOST_CHARS} characters.`);
  checkFiles(changed?.files ?? []);
  const { after } = await transact(
    run,
    ({ events, state }) => {
      if (listSteering(events).some((one) => one.nonce === nonce)) return undefined;
      const step = getStepAtWork(run, state);
      if (changed !== undefined && (changed.step !== step || !('prev' in state)))
        throw usageError(`Run ${run.id} has gone on: the files of ${changed.step} are its agent's again.`);
      const words = { type: 'agent.steered' as const, step, text: text.toWellFormed(), via, nonce };
      return { ...words, ...(changed && { files: changed.files }) };
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

/** Pattern for names chosen by a model and shown to another one: nothing in them may look like an instruction. */
const PLAIN_PATH = /^[\p{L}\p{N}._/-]{1,200}$/u;

function checkFiles(files: readonly ChangedFile[]): void {
  const odd = files.find(({ path }) => !PLAIN_PATH.test(path));
  if (odd !== undefined)
    throw usageError(`${JSON.stringify(odd.path.slice(0, 200))} has a name that a run does not take.`);
  if (files.reduce((sum, { text = '' }) => sum + text.length, 0) > MOST_FILE_CHARS)
    throw usageError(`The files that are changed in one turn have at most ${MOST_FILE_CHARS} characters.`);
}

/** Returns true for a person who may decide at the gates. */
export function maySteer(actor: string, deciders: readonly string[] | undefined): boolean {
  const isPerson = mayEverDecide(actor) && actor.startsWith('user:');
  return isPerson && (deciders === undefined || deciders.some((one) => isSameActor(one, actor)));
}

function checkMaySteer(actor: string, deciders: readonly string[] | undefined): void {
  if (maySteer(actor, deciders)) return;
  throw new HarnessError(
    'gate_refused',
    `${JSON.stringify(actor)} may not steer an agent: who may decide here may, and config/reviewers.yaml lists who that is.`,
    { details: { refusal: 'not_allowed' } },
  );
}

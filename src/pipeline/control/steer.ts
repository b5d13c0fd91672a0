/** A person says something to the agent at work in a run: on record first; the agent reads it before its next call. Never an answer to a gate. */
import { randomBytes } from 'node:crypto';
import { findMarks, openLiveMark } from '../../disk/live-mark.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { mayEverDecide } from '../../gate/rules/gate.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { steeringOf, stepAtWork, type ChangedFile, type Steering } from '../../run/steering.ts';
import { transact } from '../../run-folder/transact.ts';

/** One file for each person who is about to speak; no agent is given this folder. */
const FOLDER = 'speaking';
const MOST_CHARS = 8000;
/** Of all files of one turn: they lie in the journal. */
const MOST_FILE_CHARS = 1_000_000;

/** `changed`: files of this step, as a person left them while it was paused. */
export type Words = {
  text: string;
  actor: string;
  via: string;
  nonce: string;
  changed?: { step: string; files: ChangedFile[] };
};

/** Contract: `gate_refused` for who may not decide here either, `usage` where no agent is at work; the same nonce twice is said once. */
export async function steer(
  run: RunFolder,
  { text, actor, via, nonce, changed }: Words,
  deciders?: readonly string[],
): Promise<Steering> {
  checkMaySteer(actor, deciders);
  if (text.trim() === '') throw usageError('Say something: what should the agent do differently?');
  if (text.length > MOST_CHARS) throw usageError(`What an agent is told at work has at most ${MOST_CHARS} characters.`);
  checkFiles(changed?.files ?? []);
  const { after } = await transact(
    run,
    ({ events, state }) => {
      if (steeringOf(events).some((one) => one.nonce === nonce)) return undefined;
      const step = workOf(run, state);
      if (changed !== undefined && (changed.step !== step || !('prev' in state)))
        throw usageError(`Run ${run.id} has gone on: the files of ${changed.step} are its agent's again.`);
      const words = { type: 'agent.steered' as const, step, text: text.toWellFormed(), via, nonce };
      return { ...words, ...(changed && { files: changed.files }) };
    },
    actor,
  );
  const words = steeringOf(after.events).find((one) => one.nonce === nonce);
  if (words === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost what was said to its agent.`);
  return words;
}

/** From now on the agent waits before its next call; resolves with what lets it go on. A speaker who dies lets it go on too. */
export async function markSpeaker(run: RunFolder, actor: string): Promise<() => Promise<void>> {
  const mark = await openLiveMark(run.shared, `${FOLDER}/${process.pid}-${randomBytes(4).toString('hex')}.json`);
  await mark.say(actor);
  return () => mark.end();
}

/** Who is about to say something. */
export async function speakersOf({ shared }: Pick<RunFolder, 'shared'>): Promise<string[]> {
  return (await findMarks(shared, FOLDER)).flatMap(({ alive, said }) => (alive ? [said || 'somebody'] : []));
}

/** Contract: `usage` that says what helps, where no agent is at work. */
export function workOf({ id }: Pick<RunFolder, 'id'>, state: RunState): string {
  const step = stepAtWork(state);
  if (step !== undefined) return step;
  if (state.status === 'created') throw usageError(`No agent of run ${id} has begun: try again shortly.`);
  const waits = state.status === 'paused' || state.status === 'errored' ? state.prev : state;
  throw waits.status === 'awaiting_approval'
    ? usageError(`Run ${id} waits at ${waits.gate.id}, where a decision is needed: tandem gates review ${id}`)
    : usageError(`Run ${id} is ${state.status}: no agent is at work in it any more.`);
}

/** A name that a model has chosen is shown to another one: nothing in it may be taken for words. */
const PLAIN_PATH = /^[\p{L}\p{N}._/-]{1,200}$/u;

function checkFiles(files: readonly ChangedFile[]): void {
  const odd = files.find(({ path }) => !PLAIN_PATH.test(path));
  if (odd !== undefined)
    throw usageError(`${JSON.stringify(odd.path.slice(0, 200))} has a name that a run does not take.`);
  if (files.reduce((sum, { text = '' }) => sum + text.length, 0) > MOST_FILE_CHARS)
    throw usageError(`The files that are changed in one turn have at most ${MOST_FILE_CHARS} characters.`);
}

/** Who may decide at the gates, and is a person. */
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

/** Delivers people's messages to an agent at work before its next call: once, and at the same place in every try of its step. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentConversation } from '../../agent/agent-conversation.ts';
import type { TurnDeps } from '../../agent/loop.ts';
import type { Model } from '../../ports/model.ts';
import { listSteering, stepAtWork, type ChangedFile, type Steering } from '../../run/steering.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import { transact } from '../../run-folder/transact.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { getEntryNumber } from '../../transcript/entry.ts';
import { createUserMessage } from '../../transcript/message.ts';
import { listSpeakers } from '../control/steer.ts';
import type { StepContext } from '../deps.ts';
import { getStepAgent } from '../sessions/read-sessions.ts';

const LOOK_MS = 200;

type SteeringContext = Pick<StepContext, 'run' | 'deps'> & {
  name: string;
  session: AgentConversation;
  model: Model;
  /** Writes files as a person left them into the folder of this step; resolves with those that it may not take. */
  takeOver: (files: readonly ChangedFile[]) => Promise<string[]>;
};

export function createSteeringReader(at: SteeringContext): NonNullable<TurnDeps['listen']> {
  return async (signal) => {
    await waitForSpeakers(at, signal);
    const { events } = await openSnapshot(at.run);
    for (const words of listSteering(events)) {
      const isMine = getStepAgent(words.step) === getStepAgent(at.name);
      if (isMine && !isRead(words, at.session)) await deliverMessage(words, at);
    }
  };
}

/** Waits while somebody is about to say something, until they have spoken or are gone. */
async function waitForSpeakers({ run, deps, name }: SteeringContext, signal: AbortSignal): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const [speaker] = await listSpeakers(run);
    if (speaker === undefined) return;
    const detail = `${getStepAgent(name)} waits for what ${speaker} wants to say`;
    if (looks === 0) deps.progress({ type: 'state', status: 'notice', detail });
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function isRead({ seq }: Steering, { all }: AgentConversation): boolean {
  return all.some((entry) => entry.type === 'message' && entry.said?.event === seq);
}

/**
 * A repeated try reads the message at the same place as the first one. At any place but before a new call it would
 * change requests whose answers are paid for.
 */
async function deliverMessage(words: Steering, at: SteeringContext): Promise<void> {
  const { run, name, session, model } = at;
  const newest = session.all.at(-1);
  const entry = `e${newest === undefined ? 1 : getEntryNumber(newest) + 1}`;
  const isPlace = words.heard?.step === name && words.heard.entry === entry;
  if (!isPlace) {
    if ((await model.holdsNext?.()) === true) return;
    const heard = { type: 'agent.heard' as const, step: name, said: words.seq, entry };
    const { event } = await transact(
      run,
      ({ state }) => (stepAtWork(state) === name && !('prev' in state) ? heard : undefined),
      `agent:${getStepAgent(name)}`,
    );
    // The run was paused or has moved on, so this step is about to stop.
    if (event === undefined) return;
  }
  const { actor, at: saidAt, seq } = words;
  await session.append({
    ...{ type: 'message', origin: 'human', said: { actor, at: saidAt, event: seq } },
    message: createUserMessage(await formatSteering(words, at)),
  });
}

/** Formats the message the same way in every try, and takes its files over at the same place. */
async function formatSteering(
  { actor, at, text, files, step }: Steering,
  { deps, name, takeOver }: SteeringContext,
): Promise<string> {
  const words = fillTemplate(deps.prompts.steering, { actor, at, text });
  if (files === undefined) return words;
  const left = step === name ? await takeOver(files) : files.map(({ path }) => path);
  const taken = files.flatMap(({ path }) => (left.includes(path) ? [] : [path]));
  return fillTemplate(deps.prompts.steering_files, {
    words: words.trimEnd(),
    taken: taken.join(', ') || 'none',
    left: left.length === 0 ? '' : ` As they were handed in: ${left.join(', ')}.`,
  });
}

/** `tandem session --run <run> --steer`: the running agent gets a person's message before its next call. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadReviewers, toGatePermissions } from '../../config/reviewers.ts';
import { usageError } from '../../errors.ts';
import { steer, getStepAtWork } from '../../pipeline/control/steer.ts';
import { getStepAgent, readAllTranscripts } from '../../pipeline/sessions/read-sessions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { listSteering, stepAtWork, type Steering } from '../../run/steering.ts';
import { openSnapshot, readState } from '../../run-folder/snapshot.ts';
import { getText } from '../../transcript/message.ts';
import { commandActor, type Call, EXIT } from '../command-context.ts';
import type { SessionOptions } from './terminal-session.ts';

const LOOK_MS = 250;
/** Number of the agent's last messages shown before a person writes. */
const MOST_LAST = 3;

export async function steerCommand(named: string | undefined, options: SessionOptions, call: Call): Promise<number> {
  const { io, signal } = call;
  const { run: name, print, json } = options;
  const others = (['agent', 'resume', 'model', 'policy', 'budget'] as const).filter(
    (key) => options[key] !== undefined,
  );
  if (named !== undefined || others.length > 0)
    throw usageError('--steer speaks to the agent that is at work: it takes --run and -p alone.');
  if (name === undefined)
    throw usageError('--steer needs the run whose agent is meant: tandem session --run last --steer');
  const home = findHome(io.cwd);
  const run = await openStore(home).store.open(name);
  const { deciders } = toGatePermissions(await loadReviewers(home), run.scenario);
  const say = (text: string) =>
    steer(run, { text, actor: commandActor(io), via: 'cli', nonce: randomUUID() }, deciders);
  if (print !== undefined) {
    const words = await say(print);
    if (json === true)
      io.out(JSON.stringify({ run: run.id, agent: getStepAgent(words.step), ...toSteeringJson(words) }));
    else io.err(formatRecorded(run, words));
    return EXIT.met;
  }
  const { ask } = io;
  if (ask === undefined)
    throw usageError(`Nobody can type here: tandem session --run ${run.id} --steer -p "Use euro."`);
  const step = getStepAtWork(run, await readState(run));
  await printLastMessages(run, step, call);
  const text = await ask('> ', signal, { many: true });
  if (text.trim() === '') {
    io.err(`Nothing was said; ${getStepAgent(step)} goes on.`);
    return EXIT.met;
  }
  const words = await say(text);
  io.err(formatRecorded(run, words));
  await waitUntilRead(run, words, call);
  return EXIT.met;
}

const toSteeringJson = ({ seq: event, nonce: _nonce, ...words }: Steering) => ({ event, ...words });

function formatRecorded(run: RunFolder, { seq, step }: Steering): string {
  return `On record as event ${seq} of run ${run.id}: ${getStepAgent(step)} reads it before its next call to the model. It approves nothing.`;
}

async function printLastMessages(run: RunFolder, step: string, { io }: Call): Promise<void> {
  const agent = getStepAgent(step);
  const entries = (await readAllTranscripts(run)).get(agent) ?? [];
  const last = entries.flatMap((entry) => {
    if (entry.type !== 'message' || entry.origin !== 'model' || entry.lane !== 'main') return [];
    const text = getText(entry.message).trim();
    return text === '' ? [] : [`${entry.id}  ${text.slice(0, 300)}`];
  });
  io.err(`${agent} is at work on ${step} of run ${run.id}, and goes on while you write; Enter alone says nothing.`);
  for (const line of last.slice(-MOST_LAST)) io.err(terminalText(line));
}

/** Waits until the agent has read the message or its step is over; Ctrl-C leaves, and the message stays recorded. */
async function waitUntilRead(run: RunFolder, { seq, step }: Steering, { io, signal }: Call): Promise<void> {
  for (;;) {
    const { events, state } = await openSnapshot(run);
    const heard = listSteering(events).find((one) => one.seq === seq)?.heard;
    if (heard !== undefined) {
      io.err(`${getStepAgent(step)} has read it (entry ${heard.entry} of its transcript) and goes on.`);
      return;
    }
    if ('prev' in state) {
      io.err(
        `The run is ${state.status}; ${getStepAgent(step)} reads it when the run goes on: tandem resume ${run.id}`,
      );
      return;
    }
    if (stepAtWork(state) !== step) {
      io.err(`${getStepAgent(step)} had handed in ${step} already, and reads it if it goes to work again.`);
      if (state.status === 'awaiting_approval')
        io.err(`At ${state.gate.id} it can be said now: tandem gates review ${run.id}`);
      return;
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

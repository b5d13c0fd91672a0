/** A person's session with an agent: begun, taken up again, and all that can be done in it; the truth is its journal. */
import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findMarks, openLiveMark, type LiveMark } from '../../disk/live-mark.ts';
import { HarnessError, isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SessionFolder, SessionStore } from '../../ports/run-store.ts';
import { afterEvent, type SessionNow } from '../../run/fold-turns.ts';
import { readSession, readSessionEvents } from '../../run-folder/session-events.ts';
import type { SessionBody } from '../../run/session-event.ts';
import { attach } from './attachments.ts';
import { pausedStep, reminderOfFiles } from './run-files.ts';
import { reminderOfParts } from './named-parts.ts';
import type { Listener, OpenSession } from './session-deps.ts';
import { stepOfTurn, takeTurn, type TurnResult } from './take-turn.ts';

export type SessionStart = {
  id: string;
  agent: string;
  budgetUsd: number;
  simulated: boolean;
  run?: { id: string; dir: string } | undefined;
  actor: string;
};

const OPEN = 'open';
const MOST_CHARS = 200_000;

export async function startSession(
  store: SessionStore,
  { id, actor, run, ...rest }: SessionStart,
): Promise<SessionFolder> {
  const folder = await store.create(id);
  await folder.journal.append(
    { type: 'session.started', machineVersion: 1, ...rest, ...omitUndefined({ run }) },
    actor,
    0,
  );
  return folder;
}

/** Whether a process has it open. */
export async function isSessionOpen({ shared }: Pick<SessionFolder, 'shared'>): Promise<boolean> {
  return (await findMarks(shared, OPEN)).some(({ alive }) => alive);
}

export type Conversation = {
  readonly now: SessionNow;
  /** The turn that a dead process has left, made to its end; undefined when there is none. */
  finish: (listener: Listener) => Promise<TurnResult | undefined>;
  say: (message: { text: string; cwd: string; via: string }, listener: Listener) => Promise<TurnResult>;
  /** What is shown to the model becomes a summary now. */
  compact: (keep: string, listener: Listener) => Promise<TurnResult>;
  set: (changes: { model?: string; policy?: string; budgetUsd?: number }) => Promise<void>;
  /** Back to before the last message of a person; resolves with that message. */
  undo: () => Promise<string>;
  clear: () => Promise<void>;
  /** A session of its own that goes on from here; what it costs is its own. */
  fork: (store: SessionStore, id: string) => Promise<SessionFolder>;
  close: () => Promise<void>;
};

/** Contract: `usage` when another process has it open; whoever opens closes. */
export async function openConversation(open: OpenSession, actor: string): Promise<Conversation> {
  const { folder } = open;
  const mark = await holdSession(folder);
  let now = await readHeld(open).catch(async (error: unknown) => {
    await mark.end();
    throw error;
  });
  const append = async (body: SessionBody): Promise<void> => {
    afterEvent(now, { body, actor, ts: now.lastAt });
    now = afterEvent(now, await folder.journal.append(body, actor, now.length));
  };
  const finish = async (listener: Listener): Promise<TurnResult | undefined> => {
    if (now.open === undefined) return undefined;
    const result = await takeTurn(open, { now, turn: now.open }, listener);
    now = result.now;
    return result;
  };
  const begin = async (
    said: { text: string; sent?: string; attached?: string; files: string[]; images: string[]; via: string },
    listener: Listener,
  ) => {
    const { lane, head: after } = now;
    await append({ type: 'session.said', turn: now.begun + 1, lane, after, ...said });
    const result = await finish(listener);
    if (result === undefined) throw new HarnessError('data_corrupt', `Session ${folder.id} lost a message.`);
    return result;
  };
  return {
    get now() {
      return now;
    },
    finish,
    say: async ({ text, cwd, via }, listener) => {
      if (text.trim() === '') throw new HarnessError('usage', 'Say something.');
      if (text.length > MOST_CHARS)
        throw new HarnessError('usage', `A message has at most ${MOST_CHARS} characters; name long texts as @file.`);
      const said = await attach(folder, now, { text: text.toWellFormed(), cwd, turn: now.begun + 1 });
      const more = await remindersOf(open.deps, { text, now, actor });
      const attached = [said.attached, ...more].filter((one) => one !== undefined).join('\n\n');
      return begin({ text: text.toWellFormed(), ...said, ...(attached !== '' && { attached }), via }, listener);
    },
    compact: (keep, listener) => begin({ text: keep, files: [], images: [], via: 'cli' }, listener),
    set: (changes) => append({ type: 'session.set', ...changes }),
    undo: async () => {
      const last = now.turns.findLast(({ sent }) => sent !== undefined);
      if (last === undefined) throw new HarnessError('usage', 'There is no message to take back.');
      await append({ type: 'session.undone', turn: last.turn });
      return last.text;
    },
    clear: () => append({ type: 'session.cleared' }),
    fork: (store, id) => forkOf(folder, store, id),
    close: () => mark.end(),
  };
}

/** Whoever was killed right after a turn's end has not removed what the turn left in `wip/`. */
async function readHeld(open: OpenSession): Promise<SessionNow> {
  const now = await whereRunIs(readSession(open.folder), open);
  const ended = now.turns.findLast(({ end }) => end !== undefined);
  if (ended !== undefined) await open.folder.artifacts.discard(stepOfTurn(ended.turn));
  return now;
}

/** The journal names the run's folder on the machine where the session began; what it is here, the store of runs knows. */
async function whereRunIs(read: Promise<SessionNow>, { deps }: OpenSession): Promise<SessionNow> {
  const now = await read;
  if (now.run === undefined) return now;
  const found = await deps.attachedRun(now).catch((error: unknown) => {
    // Whoever takes a turn learns it.
    if (isHarnessError(error)) return undefined;
    throw error;
  });
  return found === undefined ? now : { ...now, run: { ...now.run, dir: found.run.dir } };
}

/** Its mark is there before it looks: of two that begin at the same moment none has it unseen. */
async function holdSession({ id, shared }: SessionFolder): Promise<LiveMark> {
  const own = randomUUID();
  const mark = await openLiveMark(shared, `${OPEN}/${own}.json`);
  const others = (await findMarks(shared, OPEN)).filter(({ name }) => name !== own);
  if (others.some(({ alive }) => alive)) {
    await mark.end();
    throw new HarnessError('usage', `Session ${id} is open in another process: end that first, or /fork it there.`);
  }
  for (const { name } of others) await shared.remove(`${OPEN}/${name}.json`);
  return mark;
}

/** What the agent should know of named files, and of the run that the session is attached to. */
async function remindersOf(
  { agentOf, attachedRun, prompts }: OpenSession['deps'],
  { text, now, actor }: { text: string; now: SessionNow; actor: string },
): Promise<(string | undefined)[]> {
  const paused = await pausedStep(await attachedRun(now), actor);
  return [
    reminderOfParts(text, await agentOf(now), prompts.mentioned),
    typeof paused === 'object' ? reminderOfFiles(paused, prompts.run_files) : undefined,
  ];
}

/** Its journal, its conversation and its files are copied; its ledger is not. */
async function forkOf(folder: SessionFolder, store: SessionStore, id: string): Promise<SessionFolder> {
  const fork = await store.create(id);
  for (const name of ['transcripts', 'workspace', 'uploads'])
    if (existsSync(join(folder.dir, name))) await cp(join(folder.dir, name), join(fork.dir, name), { recursive: true });
  const events = await readSessionEvents(folder);
  for (const [place, { body, actor }] of events.entries()) {
    const told = body.type === 'session.started' ? { ...body, forkedFrom: { session: folder.id } } : body;
    await fork.journal.append(told, actor, place);
  }
  return fork;
}

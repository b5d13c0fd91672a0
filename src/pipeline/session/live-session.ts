/** Starts and resumes a person's session with an agent, and performs every action in it, recorded in its journal. */
import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listMarks, openLiveMark, type LiveMark } from '../../disk/live-mark.ts';
import { HarnessError, ignoreHarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SessionFolder, SessionStore } from '../../ports/run-store.ts';
import { applySessionEvent, type SessionTurns } from '../../run/fold-turns.ts';
import { readSession, readSessionEvents } from '../../run-folder/session-events.ts';
import type { SessionBody } from '../../run/session-event.ts';
import { attachNamedFiles } from './attachments.ts';
import { formatOpenGate, readOpenGate } from '../chat/open-gate.ts';
import { formatPartsReminder } from './named-parts.ts';
import { formatTurnStep, takeTurn, type TurnResult } from './take-turn.ts';
import type { TurnListener, SessionContext } from './session-deps.ts';

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

/** Returns whether a process has the session open. */
export async function isSessionOpen({ shared }: Pick<SessionFolder, 'shared'>): Promise<boolean> {
  return (await listMarks(shared, OPEN)).some(({ alive }) => alive);
}

export type LiveSession = {
  readonly now: SessionTurns;
  /** Makes a turn that a dead process left unfinished; undefined when there is none. */
  finish: (listener: TurnListener) => Promise<TurnResult | undefined>;
  say: (message: { text: string; cwd: string; via: string }, listener: TurnListener) => Promise<TurnResult>;
  /** Turns the model's current view into a summary now. */
  compact: (keep: string, listener: TurnListener) => Promise<TurnResult>;
  set: (changes: { model?: string; policy?: string; budgetUsd?: number }) => Promise<void>;
  /** Goes back to before the last message of a person; resolves with that message. */
  undo: () => Promise<string>;
  clear: () => Promise<void>;
  /** Creates a new session that goes on from here, with its own costs. */
  fork: (store: SessionStore, id: string) => Promise<SessionFolder>;
  close: () => Promise<void>;
};

/** Contract: `usage` when another process has it open; the caller must close it. */
export async function openLiveSession(open: SessionContext, actor: string): Promise<LiveSession> {
  const { folder } = open;
  const mark = await holdSession(folder);
  let now = await readAndTidySession(open).catch(async (error: unknown) => {
    await mark.end();
    throw error;
  });
  const append = async (body: SessionBody): Promise<void> => {
    applySessionEvent(now, { body, actor, ts: now.lastAt });
    now = applySessionEvent(now, await folder.journal.append(body, actor, now.length));
  };
  const finish = async (listener: TurnListener): Promise<TurnResult | undefined> => {
    if (now.open === undefined) return undefined;
    const result = await takeTurn(open, { now, turn: now.open }, listener);
    now = result.now;
    return result;
  };
  const begin = async (
    said: { text: string; sent?: string; attached?: string; files: string[]; images: string[]; via: string },
    listener: TurnListener,
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
      if (text.trim() === '') throw usageError('Say something.');
      if (text.length > MOST_CHARS)
        throw usageError(`A message has at most ${MOST_CHARS} characters; name long texts as @file.`);
      const message = { text: text.toWellFormed(), cwd, turn: now.begun + 1 };
      const { said, unknown } = await attachNamedFiles(folder, now, message);
      const strange = unknown.map((name) => `@${name}`).join(', ');
      if (strange !== '')
        listener.heard({ type: 'notice', detail: `No file here is named ${strange}: sent as words.` });
      const more = await collectReminders(open.deps, text, now);
      const attached = [said.attached, ...more].filter((one) => one !== undefined).join('\n\n');
      return begin({ text: text.toWellFormed(), ...said, ...(attached !== '' && { attached }), via }, listener);
    },
    compact: (keep, listener) => begin({ text: keep, files: [], images: [], via: 'cli' }, listener),
    set: (changes) => append({ type: 'session.set', ...changes }),
    undo: async () => {
      const last = now.turns.findLast(({ sent }) => sent !== undefined);
      if (last === undefined) throw usageError('There is no message to take back.');
      await append({ type: 'session.undone', turn: last.turn });
      return last.text;
    },
    clear: () => append({ type: 'session.cleared' }),
    fork: (store, id) => forkSession(folder, store, id),
    close: () => mark.end(),
  };
}

/**
 * Removes what a process that was killed right after a turn's end has left in `wip/`. Replaces the run's folder from the
 * journal, which names the machine of the start, by its folder on this machine.
 */
async function readAndTidySession({ folder, deps }: SessionContext): Promise<SessionTurns> {
  const now = await readSession(folder);
  const ended = now.turns.findLast(({ end }) => end !== undefined);
  if (ended !== undefined) await folder.artifacts.discard(formatTurnStep(ended.turn));
  if (now.run === undefined) return now;
  // An error is reported when a turn is taken.
  const found = await deps.attachedRun(now).catch(ignoreHarnessError);
  return found === undefined ? now : { ...now, run: { ...now.run, dir: found.dir } };
}

/** Sets its mark before it looks for others, so that of two sessions begun at once each sees the other. */
async function holdSession({ id, shared }: SessionFolder): Promise<LiveMark> {
  const own = randomUUID();
  const mark = await openLiveMark(shared, `${OPEN}/${own}.json`);
  const others = (await listMarks(shared, OPEN)).filter(({ name }) => name !== own);
  if (others.some(({ alive }) => alive)) {
    await mark.end();
    throw usageError(`Session ${id} is open in another process: end that first, or /fork it there.`);
  }
  for (const { name } of others) await shared.remove(`${OPEN}/${name}.json`);
  return mark;
}

/** Collects reminders of named parts of the agent, and of the run that the session is attached to. */
async function collectReminders(deps: SessionContext['deps'], text: string, now: SessionTurns) {
  const gate = await readOpenGate(await deps.attachedRun(now));
  const isSaid =
    gate !== undefined && now.turns.some((turn) => turn.lane === now.lane && turn.attached?.includes(gate));
  return [
    gate === undefined || isSaid ? undefined : formatOpenGate(gate),
    formatPartsReminder(text, await deps.agentOf(now), deps.prompts.mentioned),
  ];
}

/** Copies the journal, the conversation and the files, but not the ledger. */
async function forkSession(folder: SessionFolder, store: SessionStore, id: string): Promise<SessionFolder> {
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

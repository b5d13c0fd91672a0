/** `tandem sessions list|show|resume`: lists the conversations of all runs, shows one, or continues one (S3.6). */
import { openSessionStore, openStore } from '../../app/open-store.ts';
import { agentTools } from '../../app/agent-tools.ts';
import { findHome, type Home } from '../../config/home.ts';
import { isHarnessError, describeError, usageError, HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { readSessions } from '../../pipeline/sessions/read-sessions.ts';
import { readOwnSession } from '../../pipeline/sessions/read-own-sessions.ts';
import { renderSession, renderSessions } from '../../report/run/sessions.ts';
import type { SessionState } from '../../run/session.ts';
import {
  terminalSize,
  type Call,
  type JsonFlag,
  type BooleanFlags,
  type TextFlags,
  EXIT,
  type Io,
} from '../command-context.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import type { ResumeOptions } from '../run/resume.ts';
import type { ReadDeps, RunFolder, SessionFolder } from '../../ports/run-store.ts';

const PLAIN_COLUMNS = 140;
const MOST_RUNS = 50;

export type ListOptions = BooleanFlags<'json' | 'lanes'> & TextFlags<'limit'>;

export async function listSessions(options: ListOptions, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const { store, clock } = openStore(home);
  const toolsOf = agentTools(home);
  const runs = await store.list();
  const most = parseOptionalCount('--limit', options.limit) ?? MOST_RUNS;
  const sessions: SessionState[] = [];
  for (const { dir, id } of runs.slice(0, most)) {
    try {
      const found = await readSessions(await store.open(dir), toolsOf);
      sessions.push(...found.filter(({ contextId }) => options.lanes === true || !contextId.startsWith('subagent-')));
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      io.err(`run ${id} cannot be read: ${describeError(error)}`);
    }
  }
  for (const own of (await openSessionStore(home).list()).slice(0, most)) {
    try {
      const [newest, ...lanes] = await readOwnSession(own, toolsOf);
      sessions.push(...(newest === undefined ? [] : [newest]), ...(options.lanes === true ? lanes : []));
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      io.err(`session ${own.id} cannot be read: ${describeError(error)}`);
    }
  }
  sessions.sort((one, other) => other.lastAt.localeCompare(one.lastAt));
  if (options.json === true) io.out(JSON.stringify(sessions));
  else if (sessions.length === 0)
    io.out(
      'No sessions yet. tandem session begins one, and each run makes some: tandem run refund-desk --profile demo',
    );
  else
    for (const line of renderSessions(sessions, { ...terminalSize(io, PLAIN_COLUMNS), now: clock.now() })) io.out(line);
  if (runs.length > most) io.err(`${runs.length - most} older runs are not shown: --limit ${runs.length}`);
  return EXIT.met;
}

export async function showSession(name: string, options: JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const read = openStore(home);
  const { sessions } = await findSessions(name, home, read);
  if (options.json === true) io.out(JSON.stringify(sessions));
  else
    for (const [index, session] of sessions.entries()) {
      if (index > 0) io.out('');
      for (const line of renderSession(session, { ...terminalSize(io, PLAIN_COLUMNS), now: read.clock.now() }))
        io.out(line);
    }
  return EXIT.met;
}

/** Resuming a session resumes its run: the agent's next message goes into the same transcript (S3.6). */
export async function resumeSession(name: string, options: ResumeOptions, call: Call): Promise<number> {
  const home = findHome(call.io.cwd);
  const found = await findSessions(name, home, openStore(home));
  const [session] = found.sessions;
  if ('own' in found) {
    const { profile } = options;
    return (await import('../session/session.ts')).sessionCommand(
      undefined,
      { resume: found.own.id, ...omitUndefined({ profile }) },
      call,
    );
  }
  const { run } = found;
  if (session?.status === 'done') {
    const ways = `tandem fork ${run.id} begins a new run from it, tandem sessions show ${name} shows it`;
    throw usageError(`Session ${session.id} is done (its run ${session.runStatus}): ${ways}.`);
  }
  return (await import('../run/resume.ts')).resumeCommand(run.dir, options, call);
}

/** The sessions of a run, or a person's own session. */
type FoundSessions = { sessions: SessionState[] } & ({ run: RunFolder } | { own: SessionFolder });

/** Accepts `<run>`, `<run>/<agent>` and `<run>/<agent>/<lane>`; the run may be a path, which holds slashes too. */
async function findSessions(name: string, home: Home, { store }: ReadDeps): Promise<FoundSessions> {
  const own = await openSessionStore(home).find(name.split('/')[0] ?? '');
  if (own !== undefined) {
    const all = await readOwnSession(own, agentTools(home));
    const wanted = [own.id, ...name.split('/').slice(1)].join('/');
    const sessions = all.filter(({ id }) => id === wanted);
    if (sessions.length > 0) return { own, sessions };
    throw new HarnessError(
      'not_found',
      `No session is named ${wanted}: there are ${all.map(({ id }) => id).join(', ')}.`,
    );
  }
  const { run, rest } = await openRun(name, store);
  const all = await readSessions(run, agentTools(home));
  const wanted = [run.id, ...rest].join('/');
  const exact = all.filter(({ id }) => id === wanted);
  // An agent without a session of exactly this id, such as a chat, stands for all its lanes.
  const sessions = exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(`${wanted}/`));
  if (sessions.length > 0) return { run, sessions };
  const there = all.length === 0 ? 'no agent has spoken yet' : `there are ${all.map(({ id }) => id).join(', ')}`;
  throw new HarnessError('not_found', `No session is named ${wanted}: ${there}.`, { details: { session: wanted } });
}

/** Opens the longest part of the name that is a run; an agent and a lane may follow it. */
async function openRun(name: string, store: ReadDeps['store']): Promise<{ run: RunFolder; rest: string[] }> {
  const parts = name.split('/');
  let first: unknown;
  for (let rest = 0; rest <= 2 && rest < parts.length; rest += 1) {
    const id = parts.slice(0, parts.length - rest).join('/');
    if (id === '') break;
    try {
      return { run: await store.open(id), rest: parts.slice(parts.length - rest) };
    } catch (error) {
      if (!isHarnessError(error, 'not_found') && !isHarnessError(error, 'usage')) throw error;
      first = error;
    }
  }
  throw first ?? usageError('A session is named by its run: tandem sessions list shows them.');
}

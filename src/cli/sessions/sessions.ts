/** `tandem sessions list|show|resume`: lists the conversations of all runs, shows one, or continues one (S3.6). */
import { openSessionStore, openStore } from '../../app/open-store.ts';
import { agentTools } from '../../app/agent-tools.ts';
import { findHome } from '../../config/home.ts';
import { isHarnessError, describeError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { readOwnSession } from '../../pipeline/sessions/read-own-sessions.ts';
import { readSessions } from '../../pipeline/sessions/read-sessions.ts';
import { renderSession, renderSessions } from '../../report/run/sessions.ts';
import type { SessionState } from '../../run/session.ts';
import { terminalSize, type Call, type JsonFlag, type BooleanFlags, type TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import { findSessions } from './find-session.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import type { Io } from '../io.ts';
import type { ResumeOptions } from '../run/resume.ts';

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

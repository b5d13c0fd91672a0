/** `tandem sessions list|show`: lists the conversations of all runs, or shows the whole state of one (S3.6). */
import { openSessionStore, openStore } from '../../app/open-store.ts';
import { agentTools } from '../../app/agent-tools.ts';
import { findHome, type Home } from '../../config/home.ts';
import { isHarnessError, describeError, usageError, HarnessError } from '../../errors.ts';
import { readSessions } from '../../pipeline/sessions/read-sessions.ts';
import { readOwnSession } from '../../pipeline/sessions/read-own-sessions.ts';
import { formatTokens, formatUsd } from '../../report/text/number-format.ts';
import { formatTable } from '../../report/text/width.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import type { SessionState } from '../../run/session.ts';
import { type JsonFlag, type BooleanFlags, type TextFlags, printAnswer, type Io } from '../command-context.ts';
import { parseOptionalCount } from '../parse-numbers.ts';
import type { ReadDeps, RunFolder } from '../../ports/run-store.ts';
import { stringify } from 'yaml';

const MOST_RUNS = 50;

export type ListOptions = BooleanFlags<'json' | 'lanes'> & TextFlags<'limit'>;

export async function listSessions(options: ListOptions, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const { store } = openStore(home);
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
  const none =
    'No sessions yet. tandem session begins one, and each run makes some: tandem run refund-desk --profile demo';
  const lines = sessions.length === 0 ? [none] : formatTable([HEAD, ...sessions.map(toRow)]).map(terminalText);
  const code = printAnswer(io, { json: options.json, value: sessions, lines });
  if (runs.length > most) io.err(`${runs.length - most} older runs are not shown: --limit ${runs.length}`);
  return code;
}

const HEAD = ['SESSION', 'STATE', 'LAST', 'MESSAGES', 'CALLS', 'COMPACTIONS', 'TOKENS', 'COST', 'WORKSPACE'];

function toRow({ id, status, lastAt, messages, tokens, costUsd, workspace, ...session }: SessionState): string[] {
  const counts = [messages.total, session.calls, session.compactions].map(String);
  const size = formatTokens(tokens.input + tokens.output);
  return [id, status, lastAt.slice(0, 16), ...counts, size, formatUsd(costUsd), workspace ?? ''];
}

export async function showSession(name: string, options: JsonFlag, io: Io): Promise<number> {
  const home = findHome(io.cwd);
  const sessions = await findSessions(name, home, openStore(home));
  const lines = sessions.flatMap((session) => terminalLines(stringify(session)));
  return printAnswer(io, { json: options.json, value: sessions, lines });
}

/** Accepts `<run>`, `<run>/<agent>` and `<run>/<agent>/<lane>`; the run may be a path, which holds slashes too. */
async function findSessions(name: string, home: Home, { store }: ReadDeps): Promise<SessionState[]> {
  const own = await openSessionStore(home).find(name.split('/')[0] ?? '');
  if (own !== undefined) {
    const all = await readOwnSession(own, agentTools(home));
    const wanted = [own.id, ...name.split('/').slice(1)].join('/');
    const sessions = all.filter(({ id }) => id === wanted);
    if (sessions.length > 0) return sessions;
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
  if (sessions.length > 0) return sessions;
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

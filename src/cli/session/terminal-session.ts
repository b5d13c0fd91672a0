/** The parts that the modules of `tandem session` share: its flags, an open session, and changes of its settings. */
import type { SessionApp } from '../../app/open-sessions.ts';
import { HarnessError, leaveOutRemedy, usageError } from '../../errors.ts';
import { type Home, findHome } from '../../config/home.ts';
import type { Config } from '../../config/schema.ts';
import type { LiveSession } from '../../pipeline/session/live-session.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import type { RunFolder, SessionFolder, SessionStore } from '../../ports/run-store.ts';
import { type Call, type JsonFlag, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { resolve } from 'node:path';
import { openSessionStore, openStore } from '../../app/open-store.ts';
import { writeNewFile } from '../../disk/named-output.ts';
import { readConversation } from '../../pipeline/sessions/read-own-sessions.ts';
import { readSession } from '../../run-folder/session-events.ts';

export type SessionOptions = TextFlags<'run' | 'resume' | 'print' | 'model' | 'policy' | 'budget' | 'profile'> &
  JsonFlag & { steer?: true | undefined; stream?: true | undefined };

/** An open session with everything that its commands need. */
export type TerminalSession = {
  home: Home;
  config: Config;
  store: SessionStore;
  folder: SessionFolder;
  app: SessionApp;
  conversation: LiveSession;
  call: Call;
};

/** Throws `config_invalid` for an unknown model or policy, and then changes nothing. */
export async function applyChanges(
  conversation: LiveSession,
  changes: { model?: string; policy?: string; budgetUsd?: number },
  { deps }: Pick<SessionApp, 'deps'>,
): Promise<void> {
  await checkAgent({ ...conversation.now, ...changes }, { deps });
  await conversation.set(changes);
}

export async function checkAgent(
  now: Parameters<SessionApp['deps']['agentOf']>[0],
  { deps }: Pick<SessionApp, 'deps'>,
) {
  const { definition } = await deps.agentOf(now);
  await deps.catalogue.describe(definition.model, AbortSignal.timeout(30_000));
}

/** Explains why a turn failed, and what helps. */
export function explainFailedTurn({ turn }: Pick<TurnResult, 'turn'>, id: string): string {
  const { why = '', code } = turn.end ?? {};
  const cause = leaveOutRemedy(why);
  if (code === 'budget_exceeded')
    return `${cause} Go on with a higher cap: /budget 10, or tandem session --resume ${id} --budget 10.`;
  if (code === 'model_refused' && why.includes('simulation script'))
    return `${cause} The offline model answers only what its scripts know (docs/simulation.md); with ANTHROPIC_API_KEY set, a model answers.`;
  return `${cause.replace(/(?<![.?!])$/, '.')} What was said until then stays; say something to go on.`;
}

/** The run that `--run` names: its id, the beginning of it, its folder, or `last`. */
export async function openNamedRun(home: Home, name: string): Promise<RunFolder> {
  const { store } = openStore(home);
  const newest = name === 'last' ? (await store.list())[0]?.id : undefined;
  return store.open(newest ?? name);
}

export async function findSession(store: SessionStore, name: string): Promise<SessionFolder> {
  const newest = name === 'last' ? await findLastTalk(store) : undefined;
  const found = newest ?? (await store.find(name));
  if (found !== undefined) return found;
  const some = (await store.list()).slice(0, 5).map(({ id }) => id);
  const there = some.length === 0 ? 'There are none yet: tandem session begins one.' : `There are ${some.join(', ')}.`;
  throw new HarnessError('not_found', `No session is named ${JSON.stringify(name)}. ${there}`);
}

/** The newest session in which something was said: one that was only opened is no conversation to go on with. */
async function findLastTalk(store: SessionStore): Promise<SessionFolder | undefined> {
  const all = await store.list();
  for (const folder of all.slice(0, 20)) if ((await readSession(folder)).begun > 0) return folder;
  return all[0];
}

/** `tandem sessions export`, and `/export` in a session; existing files are never overwritten. */
export async function exportCommand(
  name: string,
  { format = 'json', out }: TextFlags<'format' | 'out'>,
  io: Io,
): Promise<number> {
  refuseOtherFormat(format);
  const home = findHome(io.cwd);
  const folder = await findSession(openSessionStore(home), name);
  const text = await exportConversation(folder);
  if (out === undefined) io.out(text.trimEnd());
  else io.err(`written: ${await writeNewFile({ flag: '--out', path: resolve(io.cwd, out), ...home }, text)}`);
  return EXIT.met;
}

export function refuseOtherFormat(format: string): void {
  if (format !== 'json')
    throw usageError(
      `"${format}": a session is exported as json. To read it, or to print it: tandem serve, the page Sessions.`,
    );
}

export async function exportConversation(folder: SessionFolder): Promise<string> {
  const now = await readSession(folder);
  return `${JSON.stringify({ id: folder.id, now, entries: await readConversation(folder, now) }, null, 2)}\n`;
}

/** `tandem session`: starts or resumes a conversation with any agent; with `-p` it gives one answer. */
import { openSessionApp } from '../../app/open-sessions.ts';
import { openSessionStore } from '../../app/open-store.ts';
import { findHome, listNames, type Home } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { HarnessError, usageError, type ErrorCode } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { openLiveSession, startSession } from '../../pipeline/session/live-session.ts';
import type { TurnProgress } from '../../pipeline/session/session-deps.ts';
import { readSession } from '../../run-folder/session-events.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import { newRunId } from '../../pipeline/start-run.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';
import { terminalLines } from '../../report/text/sanitise.ts';
import { commandActor, type Call, EXIT, getErrorExitCode } from '../command-context.ts';
import { parseUsd } from '../parse-numbers.ts';
import { printProgress } from '../print-progress.ts';
import { createNewsPrinter } from './answer-screen.ts';
import {
  explainFailedTurn,
  checkAgent,
  findSession,
  openNamedRun,
  applyChanges,
  type SessionOptions,
  type TerminalSession,
} from './terminal-session.ts';

export async function sessionCommand(named: string | undefined, options: SessionOptions, call: Call): Promise<number> {
  const { io } = call;
  if (options.stream === true && options.print === undefined)
    throw usageError('--stream goes with -p: tandem session -p "hello" --stream');
  if (options.steer === true) return (await import('./steer.ts')).steerCommand(named, options, call);
  if (options.print === undefined && io.ask === undefined)
    throw usageError('Nobody can type here: tandem session -p "What is in workspace/?"');
  const home = findHome(io.cwd);
  const { profile } = options;
  const config = await loadConfig(home, { ...omitUndefined({ profile }), env: io.env });
  const store = openSessionStore(home);
  if (options.resume !== undefined && (named ?? options.run) !== undefined)
    throw usageError('--resume takes a session up as it is: its agent and its run are those that it began with.');
  const about = options.resume === undefined ? undefined : await findSession(store, options.resume);
  const started =
    about === undefined
      ? {
          agent: requireAgent(home, named ?? 'session'),
          ...omitUndefined({ run: await findRunPlace(home, options.run) }),
        }
      : await readSession(about);
  // Nothing is written until the agent and the model are known to exist.
  const app = await openSessionApp({
    ...{ home, config, env: io.env, about: started, signal: call.signal },
    progress: options.print === undefined ? () => undefined : printProgress(io),
  });
  try {
    const folder = about ?? (await beginSession(started, { store, app, config, options, call }));
    return await runSession(folder, { home, config, store, app, call }, options);
  } finally {
    await app.close();
  }
}

type SessionToBegin = Pick<TerminalSession, 'store' | 'app' | 'config' | 'call'> & { options: SessionOptions };

async function beginSession(
  { agent, run }: Pick<SessionTurns, 'agent' | 'run'>,
  { store, app, config, options: { budget, model, policy }, call }: SessionToBegin,
): Promise<SessionFolder> {
  await checkAgent({ agent, ...omitUndefined({ model, policy }) }, app);
  return startSession(store, {
    ...{ id: newRunId(new Date()), agent, run, simulated: app.simulated, actor: commandActor(call.io) },
    budgetUsd: budget === undefined ? config.session.budget_usd : parseUsd('--budget', budget),
  });
}

async function runSession(
  folder: SessionFolder,
  around: Omit<TerminalSession, 'folder' | 'conversation'>,
  { model, policy, budget, resume, print, json, stream }: SessionOptions,
): Promise<number> {
  const { app, call } = around;
  const conversation = await openLiveSession({ folder, deps: app.deps }, commandActor(call.io));
  try {
    const budgetUsd = budget === undefined || resume === undefined ? undefined : parseUsd('--budget', budget);
    const changes = omitUndefined({ model, policy, budgetUsd });
    if (Object.keys(changes).length > 0) await applyChanges(conversation, changes, app);
    const talk: TerminalSession = { ...around, folder, conversation };
    if (print !== undefined) return await answerMessage(talk, print, { json: json === true, stream: stream === true });
    return await (await import('./converse.ts')).holdConversation(talk);
  } finally {
    await conversation.close();
  }
}

function requireAgent(home: Home, agent: string): string {
  const known = listNames(home, 'agents').filter((name) => name !== 'subagent');
  if (known.includes(agent)) return agent;
  throw usageError(`No agent is named ${JSON.stringify(agent)}. There are: ${known.join(', ')} (agents/).`);
}

async function findRunPlace(home: Home, name: string | undefined): Promise<{ id: string; dir: string } | undefined> {
  if (name === undefined) return undefined;
  const { id, dir } = await openNamedRun(home, name);
  return { id, dir };
}

async function answerMessage(
  { conversation, folder, call }: TerminalSession,
  text: string,
  { json, stream }: { json: boolean; stream: boolean },
): Promise<number> {
  const { io, signal } = call;
  const eachAsJson = (news: TurnProgress): void => io.out(JSON.stringify(news));
  const quiet = (): void => undefined;
  const listener = { heard: stream ? eachAsJson : json ? quiet : createNewsPrinter(io), signal };
  await conversation.finish(listener);
  const result = await conversation.say({ text, cwd: io.cwd, via: 'cli' }, listener);
  if (stream) io.out(JSON.stringify({ type: 'end', ...(await answerJson(result, folder)) }));
  else if (json) io.out(JSON.stringify(await answerJson(result, folder)));
  else {
    for (const line of terminalLines(result.text)) io.out(line);
    if (result.turn.end?.why !== undefined) io.err(terminalLines(explainFailedTurn(result, folder.id)).join('\n'));
  }
  return getTurnExitCode(result);
}

async function answerJson({ now, turn, text }: TurnResult, { id, spending }: SessionFolder) {
  const spent = await spending.list();
  const { end, why, code, calls, usd } = turn.end ?? {};
  return omitUndefined({
    ...{ session: id, agent: now.agent, turn: turn.turn, end, text, code, calls, usd },
    // The reservation's own advice is for runs.
    why: code === 'budget_exceeded' ? explainFailedTurn({ turn }, id) : why,
    spentUsd: spent.reduce((sum, one) => sum + one.usd + one.uncertainUsd, 0),
    budgetUsd: now.budgetUsd,
    files: turn.files,
  });
}

export function getTurnExitCode({ turn }: Pick<TurnResult, 'turn'>): number {
  const { end = 'failed', code = 'infrastructure', why = '' } = turn.end ?? {};
  if (end === 'answered') return EXIT.met;
  return end === 'stopped' ? EXIT.interrupted : getErrorExitCode(new HarnessError(code as ErrorCode, why));
}

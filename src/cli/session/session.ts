/** `tandem session`: a conversation with any agent, begun or taken up again; one answer with `-p`. */
import { openSessionApp } from '../../app/open-sessions.ts';
import { openSessionStore, openStore } from '../../app/open-store.ts';
import { findHome, namesIn, type Home } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { HarnessError, usageError, type ErrorCode } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SessionNews } from '../../pipeline/session/session-deps.ts';
import { openConversation, startSession } from '../../pipeline/session/session.ts';
import { readSession } from '../../run-folder/session-events.ts';
import type { TurnResult } from '../../pipeline/session/take-turn.ts';
import { newRunId } from '../../pipeline/start-run.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import type { SessionNow } from '../../run/fold-turns.ts';
import { terminalLines } from '../../report/text/sanitise.ts';
import { commandActor } from '../actor.ts';
import type { Call } from '../call.ts';
import { EXIT, exitCodeOfError } from '../exit-code.ts';
import { dollars } from '../numbers.ts';
import { plainNews } from './news.ts';
import { adviceFor, checkAgent, foundSession, setChecked, type SessionOptions, type Talk } from './talk.ts';

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
  const agent = options.agent ?? named;
  if (options.resume !== undefined && (agent ?? options.run) !== undefined)
    throw usageError('--resume takes a session up as it is: its agent and its run are those that it began with.');
  const about = options.resume === undefined ? undefined : await foundSession(store, options.resume);
  const started =
    about === undefined
      ? { agent: checkedAgent(home, agent ?? 'session'), ...omitUndefined({ run: await namedRun(home, options.run) }) }
      : await readSession(about);
  // Nothing is written before the agent and the model are known to be there.
  const app = await openSessionApp({
    ...{ home, config, env: io.env, about: started, signal: call.signal },
    progress: () => undefined,
  });
  try {
    const folder = about ?? (await begin(started, { store, app, config, options, call }));
    return await talkIn(folder, { home, config, store, app, call }, options);
  } finally {
    await app.close();
  }
}

type Begun = Pick<Talk, 'store' | 'app' | 'config' | 'call'> & { options: SessionOptions };

async function begin(
  { agent, run }: Pick<SessionNow, 'agent' | 'run'>,
  { store, app, config, options: { budget, model, policy }, call }: Begun,
): Promise<SessionFolder> {
  await checkAgent({ agent, ...omitUndefined({ model, policy }) }, app);
  return startSession(store, {
    ...{ id: newRunId(new Date()), agent, run, simulated: app.simulated, actor: commandActor(call.io) },
    budgetUsd: budget === undefined ? config.session.budget_usd : dollars('--budget', budget),
  });
}

async function talkIn(
  folder: SessionFolder,
  around: Omit<Talk, 'folder' | 'conversation'>,
  { model, policy, budget, resume, print, json, stream }: SessionOptions,
): Promise<number> {
  const { app, call } = around;
  const conversation = await openConversation({ folder, deps: app.deps }, commandActor(call.io));
  try {
    const budgetUsd = budget === undefined || resume === undefined ? undefined : dollars('--budget', budget);
    const changes = omitUndefined({ model, policy, budgetUsd });
    if (Object.keys(changes).length > 0) await setChecked(conversation, changes, app);
    const talk: Talk = { ...around, folder, conversation };
    if (print !== undefined) return await once(talk, print, { json: json === true, stream: stream === true });
    return await (await import('./converse.ts')).converse(talk);
  } finally {
    await conversation.close();
  }
}

function checkedAgent(home: Home, agent: string): string {
  const known = namesIn(home, 'agents').filter((name) => name !== 'subagent');
  if (known.includes(agent)) return agent;
  throw usageError(`No agent is named ${JSON.stringify(agent)}. There are: ${known.join(', ')} (agents/).`);
}

async function namedRun(home: Home, name: string | undefined): Promise<{ id: string; dir: string } | undefined> {
  if (name === undefined) return undefined;
  const { id, dir } = await openStore(home).store.open(name);
  return { id, dir };
}

async function once(
  { conversation, folder, call }: Talk,
  text: string,
  { json, stream }: { json: boolean; stream: boolean },
): Promise<number> {
  const { io, signal } = call;
  const eachAsJson = (news: SessionNews): void => io.out(JSON.stringify(news));
  const quiet = (): void => undefined;
  const listener = { heard: stream ? eachAsJson : json ? quiet : plainNews(io), signal };
  await conversation.finish(listener);
  const result = await conversation.say({ text, cwd: io.cwd, via: 'cli' }, listener);
  if (stream) io.out(JSON.stringify({ type: 'end', ...(await answerJson(result, folder)) }));
  else if (json) io.out(JSON.stringify(await answerJson(result, folder)));
  else {
    for (const line of terminalLines(result.text)) io.out(line);
    if (result.turn.end?.why !== undefined) io.err(terminalLines(adviceFor(result, folder.id)).join('\n'));
  }
  return exitCodeOfTurn(result);
}

async function answerJson({ now, turn, text }: TurnResult, { id, spending }: SessionFolder) {
  const spent = await spending.list();
  const { end, why, code, calls, usd } = turn.end ?? {};
  return omitUndefined({
    ...{ session: id, agent: now.agent, turn: turn.turn, end, text, why, code, calls, usd },
    spentUsd: spent.reduce((sum, one) => sum + one.usd + one.uncertainUsd, 0),
    budgetUsd: now.budgetUsd,
    files: turn.files,
  });
}

export function exitCodeOfTurn({ turn }: Pick<TurnResult, 'turn'>): number {
  const { end = 'failed', code = 'infrastructure', why = '' } = turn.end ?? {};
  if (end === 'answered') return EXIT.met;
  return end === 'stopped' ? EXIT.interrupted : exitCodeOfError(new HarnessError(code as ErrorCode, why));
}

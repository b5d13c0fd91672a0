/** One turn of a session: made like a step of a run, so that a turn that died is made again from what was paid for. */
import { z } from 'zod';
import type { LoadedAgent } from '../../agent/definition.ts';
import { createAgentSession, type AgentSession } from '../../agent/session.ts';
import { runTurn, type TurnDeps } from '../../agent/loop.ts';
import { changesOf } from '../../context/index.ts';
import { HarnessError, isHarnessError, messageOf } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { Model } from '../../ports/model.ts';
import { NO_TELEMETRY } from '../../ports/telemetry.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import { afterEvent, type SessionNow, type Turn } from '../../run/fold-turns.ts';
import { TurnEnd, type SessionBody } from '../../run/session-event.ts';
import { type Entry, lineage, numberOf } from '../../transcript/entry.ts';
import { textOf, toolUses, userText, type ImageBlock } from '../../transcript/message.ts';
import { deferSettlement } from '../spending/deferred-settlement.ts';
import { writeOffAbandoned } from '../spending/write-off-abandoned.ts';
import { rulesOfRun } from '../steps/agent-wiring.ts';
import { turnOf } from '../steps/agent-turn.ts';
import { answeredOnce, openServerTools } from '../steps/server-tools.ts';
import { modelMaker } from '../steps/step-models.ts';
import { imagesOf } from './attachments.ts';
import { openRunFiles, pausedStep, type RunFiles } from './run-files.ts';
import { mountsOf } from './session-mounts.ts';
import type { Listener, OpenSession } from './session-deps.ts';
import { progressTo, toolNews, withText } from './tool-news.ts';

/** How a turn ended that was not answered, written before its end is: a process that dies in between makes the same end. */
export const StoppedTurn = z.strictObject({
  version: z.literal(1),
  end: TurnEnd,
  text: z.string(),
  why: z.string().optional(),
  code: z.string().optional(),
});
type Stopped = z.infer<typeof StoppedTurn>;

export type TurnResult = { now: SessionNow; turn: Turn; text: string };

/** A turn is made like a step of this name. */
export const stepOfTurn = (turn: number): string => `turn.${turn}`;

/** Contract: the end is in the journal when it resolves; a rejection leaves the turn open, and it can be taken again. */
export async function takeTurn(
  open: OpenSession,
  { now, turn }: { now: SessionNow; turn: Turn },
  listener: Listener,
): Promise<TurnResult> {
  const { folder } = open;
  const name = stepOfTurn(turn.turn);
  const attempt = await folder.artifacts.begin(name, `turns/${turn.turn}`, []);
  const agent = now.agent;
  const before = (await folder.transcripts.read(agent)).filter(({ step }) => step !== name);
  const made: Entry[] = [];
  const session = createAgentSession({
    ...{ entries: standing(before, turn), step: name, lane: turn.lane, images: folder.transcripts.images },
    onAppend: async (entry) => {
      made.push(entry);
      for (const change of changesOf([entry])) listener.heard({ type: 'context', change });
    },
  });
  const paused = await pausedStep(await open.deps.attachedRun(now), turn.actor);
  if (typeof paused === 'string') listener.heard({ type: 'notice', detail: paused });
  const runFiles = typeof paused === 'object' ? await openRunFiles(folder, turn, paused) : undefined;
  const work = { ...open, now, turn, attempt, session, runFiles };
  const facts = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent, 'tandem.turn': turn.turn };
  const { telemetry = NO_TELEMETRY } = open.deps;
  const stopped = await telemetry.forFolder({ name: folder.id, birth: folder.id }, () =>
    telemetry.span(`turn ${turn.turn}`, facts, () => workOrStop(work, listener)),
  );
  if (stopped !== undefined) await closeTurn(session, stopped);
  await folder.transcripts.publish(agent, made);
  const detail = await runFiles?.handOver();
  if (detail !== undefined) listener.heard({ type: 'notice', detail });
  await writeOffAbandoned(folder.spending, name);
  const body = endOf({ turn, made, stopped, spent: await spentOn(folder, name) });
  const event = await folder.journal.append(body, `agent:${agent}`, now.length);
  await folder.artifacts.discard(name);
  const after = afterEvent(now, event);
  const said = made.findLast(
    (entry) => entry.type === 'message' && entry.origin === 'model' && entry.lane === turn.lane,
  );
  const text = said?.type === 'message' ? textOf(said.message) : '';
  return { now: after, turn: after.turns.find((one) => one.turn === turn.turn) ?? turn, text };
}

type Work = OpenSession & {
  now: SessionNow;
  turn: Turn;
  attempt: Attempt;
  session: AgentSession;
  runFiles: RunFiles | undefined;
};

/** Undefined when the agent has ended its turn itself. */
async function workOrStop(work: Work, listener: Listener): Promise<Stopped | undefined> {
  const { attempt } = work;
  const recalled = StoppedTurn.safeParse(await attempt.recall('stopped'));
  const said = { text: '' };
  try {
    await makeTurn(work, { said, isOver: recalled.success, listener });
    return undefined;
  } catch (error) {
    if (recalled.success) return recalled.data;
    if (isHarnessError(error, 'attempt_lost')) throw error;
    if (!listener.signal.aborted && !isHarnessError(error)) throw error;
    const how = listener.signal.aborted
      ? { end: 'stopped' as const }
      : { end: 'failed' as const, why: messageOf(error), ...(isHarnessError(error) && { code: error.code }) };
    const stopped: Stopped = { version: 1, text: said.text.toWellFormed(), ...how };
    await attempt.remember('stopped', stopped);
    return stopped;
  }
}

/** Who asks for a summary wants one, also of the steps that would stay if only room were needed. */
function keepingLeast(agent: LoadedAgent): LoadedAgent {
  const { policy } = agent;
  return { ...agent, policy: { ...policy, keep: { ...policy.keep, steps: 1 } } };
}

type Making = { said: { text: string }; isOver: boolean; listener: Listener };

async function makeTurn(
  { folder, deps: given, now, turn, attempt, session, runFiles }: Work,
  { said, isOver, listener }: Making,
): Promise<void> {
  const { signal, heard } = listener;
  const loaded = await given.agentOf(now);
  const agent = turn.sent === undefined ? keepingLeast(loaded) : loaded;
  const deps = {
    ...given,
    ...(isOver && { model: nothingNew(given.model) }),
    progress: progressTo(heard, () => (said.text = '')),
  };
  const money = deferSettlement(folder.spending);
  const modelFor = await modelMaker({ run: folder, attempt, lane: money.lane }, now.budgetUsd, deps);
  const servers = await openServerTools(agent, { attempt, deps, signal });
  try {
    const wired = await turnOf({
      ...{ run: folder, agent, session, modelFor, servers, deps, signal },
      name: attempt.step,
      mounts: [...mountsOf(folder, now), ...(runFiles?.mounts ?? [])],
      onFiles: (host) => host,
      onLane: (host, lane) =>
        answeredOnce(isOver ? { ...host, call: () => Promise.reject(OVER) } : host, lane, attempt),
      controls: [],
      recall: undefined,
      rules: now.run === undefined ? given.project : rulesOfRun(now.run),
      moment: () => ({}),
    });
    const hosts = wired.hosts.map((host) => toolNews(host, heard));
    const images = await imagesOf(folder, turn.images);
    await run(session, { turn, images }, { ...wired, hosts, model: withText(wired.model, said, heard), signal });
  } finally {
    // Paid calls are in the ledger before anybody learns how the turn ended.
    await Promise.allSettled([money.settled(), servers.close()]);
  }
  await money.settled();
}

async function run(
  session: AgentSession,
  { turn: { text, sent, attached }, images }: { turn: Turn; images: ImageBlock[] },
  wired: TurnDeps & { signal: AbortSignal },
): Promise<void> {
  if (attached !== undefined)
    await session.append({ type: 'message', origin: 'reminder', message: userText(attached) });
  if (sent !== undefined) {
    await runTurn(session, { origin: 'human', text: sent, images }, wired);
    return;
  }
  if (text !== '')
    await session.append({ type: 'message', origin: 'human', message: userText(`Keep this in mind: ${text}`) });
  await wired.fitter.fit(session, true, wired.signal).catch((error: unknown) => {
    // Nobody needs the room yet: a person wished for it, and the conversation is as it was.
    if (!isHarnessError(error, 'context_overflow')) throw error;
  });
}

/** A turn that was stopped is not gone on with: what is not remembered of it is not made. */
function nothingNew(model: Model): Model {
  return { ...model, enter: () => Promise.reject(OVER), call: () => Promise.reject(OVER) };
}

const OVER = new HarnessError('agent_stopped', 'The turn was stopped here.');

/** Every call has its result, and what was written of the answer stays. */
async function closeTurn(session: AgentSession, { end, text }: Stopped): Promise<void> {
  const last = session.entries.at(-1);
  const calls = last?.type === 'message' && last.origin === 'model' ? toolUses(last.message) : [];
  if (calls.length > 0) {
    const why = end === 'stopped' ? 'A person stopped this before it was done.' : 'This was not done: the turn failed.';
    const content = calls.map(({ id }) => ({
      ...{ type: 'tool_result' as const, tool_use_id: id },
      ...{ content: why, is_error: true },
    }));
    await session.append({ type: 'message', origin: 'tools', message: { role: 'user', content } });
  }
  if (text.trim() !== '')
    await session.append({
      ...{ type: 'message', origin: 'model' },
      message: { role: 'assistant', content: [{ type: 'text', text }] },
    });
}

/** Entries that are no ancestors of the head were undone: they keep their numbers and leave the conversation. */
export function standing(entries: readonly Entry[], { lane, after }: Pick<Turn, 'lane' | 'after'>): Entry[] {
  const until = after === '' ? 0 : Number(after.slice(1));
  const stays = new Set(
    lineage(
      entries.filter((entry) => numberOf(entry) <= until),
      lane,
    ),
  );
  return entries.map((entry) => (entry.lane === lane && !stays.has(entry) ? { ...entry, lane: 'taken-back' } : entry));
}

async function spentOn({ spending }: SessionFolder, step: string): Promise<{ calls: number; usd: number }> {
  const mine = (await spending.list()).filter(({ call }) => call.startsWith(`${step}.`));
  return {
    calls: mine.reduce((sum, { answers }) => sum + answers, 0),
    usd: mine.reduce((sum, { usd }) => sum + usd, 0),
  };
}

type Made = { turn: Turn; made: readonly Entry[]; stopped: Stopped | undefined; spent: { calls: number; usd: number } };

function endOf({ turn, made, stopped, spent }: Made): Extract<SessionBody, { type: 'session.answered' }> {
  const own = made.filter(({ lane }) => lane === turn.lane);
  const [first, last] = [own[0], own.at(-1)];
  return {
    type: 'session.answered',
    ...{ turn: turn.turn, end: stopped?.end ?? 'answered', ...spent },
    ...omitUndefined({ why: stopped?.why, code: stopped?.code }),
    ...(first !== undefined && last !== undefined && { entries: { first: first.id, last: last.id } }),
  };
}

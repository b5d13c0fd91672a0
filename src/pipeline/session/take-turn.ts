/** Makes one turn of a session like a step of a run, so that a turn that died is made again from paid answers. */
import { z } from 'zod';
import { createAgentConversation, type AgentConversation } from '../../agent/agent-conversation.ts';
import { runTurn, type TurnDeps } from '../../agent/loop.ts';
import { changesOf } from '../../context/index.ts';
import { HarnessError, isHarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { Model } from '../../ports/model.ts';
import { applySessionEvent, type SessionTurns, type Turn } from '../../run/fold-turns.ts';
import { TurnEnd, type SessionBody } from '../../run/session-event.ts';
import { type Entry, listLineage, getEntryNumber } from '../../transcript/entry.ts';
import { getText, listToolUses, createUserMessage, type ImageBlock } from '../../transcript/message.ts';
import { tracedTurn } from '../spans.ts';
import { deferSettlement } from '../spending/deferred-settlement.ts';
import { sumSpent, writeOffAbandoned } from '../spending/write-off-abandoned.ts';
import { getRulesDir } from '../steps/agent-wiring.ts';
import { readOpenGate } from '../chat/open-gate.ts';
import { readRulesInForce } from '../steps/approved-rules.ts';
import { buildTurn } from '../steps/agent-turn.ts';
import { withRecordedAnswers, openServerTools } from '../steps/server-tools.ts';
import { createModelMaker } from '../steps/step-models.ts';
import { createAttachedDraft, readImages, listSessionMounts } from './attachments.ts';
import type { TurnListener, SessionContext } from './session-deps.ts';
import { createProgress, withToolProgress, withLiveText } from './turn-progress.ts';

/** Records how an unanswered turn ended before its end is written, so that a process that dies in between repeats it. */
export const StoppedTurn = z.strictObject({
  version: z.literal(1),
  end: TurnEnd,
  text: z.string(),
  why: z.string().optional(),
  code: z.string().optional(),
});
type TurnStop = z.infer<typeof StoppedTurn>;

export type TurnResult = { now: SessionTurns; turn: Turn; text: string };

/** Name of the step as which a turn is made. */
export const formatTurnStep = (turn: number): string => `turn.${turn}`;

/** Contract: the end is in the journal when it resolves; a rejection leaves the turn open, to be taken again. */
export async function takeTurn(
  open: SessionContext,
  { now, turn }: { now: SessionTurns; turn: Turn },
  listener: TurnListener,
): Promise<TurnResult> {
  const { folder } = open;
  const name = formatTurnStep(turn.turn);
  const attempt = await folder.artifacts.begin(name, `turns/${turn.turn}`, []);
  const agent = now.agent;
  const before = (await folder.transcripts.read(agent)).filter(({ step }) => step !== name);
  const made: Entry[] = [];
  const session = createAgentConversation({
    ...{ entries: selectBranch(before, turn), step: name, lane: turn.lane, images: folder.transcripts.images },
    onAppend: async (entry) => {
      made.push(entry);
      for (const change of changesOf([entry])) listener.heard({ type: 'context', change });
    },
  });
  const work = { ...open, now, turn, attempt, session };
  const stopped = await tracedTurn(open, { agent, turn: turn.turn }, () => workOrStop(work, listener));
  if (stopped !== undefined) await closeTurn(session, stopped);
  await folder.transcripts.publish(agent, made);
  await writeOffAbandoned(folder.spending, name);
  const body = createAnsweredEvent({ turn, made, stopped, spent: await sumSpent(folder.spending, name) });
  const event = await folder.journal.append(body, `agent:${agent}`, now.length);
  await folder.artifacts.discard(name);
  const after = applySessionEvent(now, event);
  const said = made.findLast(
    (entry) => entry.type === 'message' && entry.origin === 'model' && entry.lane === turn.lane,
  );
  const text = said?.type === 'message' ? getText(said.message) : '';
  return { now: after, turn: after.turns.find((one) => one.turn === turn.turn) ?? turn, text };
}

type TurnWork = SessionContext & {
  now: SessionTurns;
  turn: Turn;
  attempt: Attempt;
  session: AgentConversation;
};

/** Undefined when the agent has ended its turn itself. */
async function workOrStop(work: TurnWork, listener: TurnListener): Promise<TurnStop | undefined> {
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
      : { end: 'failed' as const, why: describeError(error), ...(isHarnessError(error) && { code: error.code }) };
    const stopped: TurnStop = { version: 1, text: said.text.toWellFormed(), ...how };
    await attempt.remember('stopped', stopped);
    return stopped;
  }
}

type TurnMaking = { said: { text: string }; isOver: boolean; listener: TurnListener };

async function makeTurn(
  { folder, deps: given, now, turn, attempt, session }: TurnWork,
  { said, isOver, listener }: TurnMaking,
): Promise<void> {
  const { signal, heard } = listener;
  const loaded = await given.agentOf(now);
  const { policy } = loaded;
  // A person who asks for a summary wants one even when there is room, so as few steps as possible are kept.
  const isSummary = turn.sent === undefined;
  const agent = isSummary ? { ...loaded, policy: { ...policy, keep: { ...policy.keep, steps: 1 } } } : loaded;
  const deps = {
    ...given,
    ...(isOver && { model: withoutNewCalls(given.model) }),
    progress: createProgress(heard, () => (said.text = '')),
  };
  const money = deferSettlement(folder.spending);
  const modelFor = await createModelMaker({ run: folder, attempt, lane: money.lane }, now.budgetUsd, deps);
  const servers = await openServerTools(agent, { attempt, deps, signal });
  try {
    const wired = await buildTurn({
      ...{ run: folder, agent, session, modelFor, servers, deps, signal },
      name: attempt.step,
      mounts: listSessionMounts(folder, now),
      onFiles: (host) => host,
      onLane: (host, lane) =>
        withRecordedAnswers(isOver ? { ...host, call: () => Promise.reject(TURN_STOPPED) } : host, lane, attempt),
      ...{ controls: [], recall: undefined },
      pinned: async () => readRulesInForce(await given.attachedRun(now)),
      openGate: await readOpenGate(await given.attachedRun(now)),
      rules: now.run === undefined ? given.project : getRulesDir(now.run),
    });
    const hosts = wired.hosts.map((host) => withToolProgress(host, heard));
    const images = await readImages(folder, turn.images);
    await runOrCompact(
      session,
      { turn, images },
      { ...wired, hosts, model: withLiveText(wired.model, said, heard), signal },
    );
  } finally {
    // Paid calls are in the ledger before anybody learns how the turn ended.
    await Promise.allSettled([money.settled(), servers.close()]);
  }
  await money.settled();
}

async function runOrCompact(
  session: AgentConversation,
  { turn: { text, sent, attached }, images }: { turn: Turn; images: ImageBlock[] },
  wired: TurnDeps & { signal: AbortSignal },
): Promise<void> {
  if (attached !== undefined) await session.append(createAttachedDraft(attached, session.entries));
  if (sent !== undefined) {
    await runTurn(session, { origin: 'human', text: sent, images }, wired);
    return;
  }
  const message = createUserMessage(`Keep this in mind: ${text}`);
  if (text !== '') await session.append({ type: 'message', origin: 'human', message });
  await wired.fitter.fit(session, true, wired.signal).catch((error: unknown) => {
    // The summary was requested by a person and no room is needed yet, so the conversation simply stays as it was.
    if (!isHarnessError(error, 'context_overflow')) throw error;
  });
}

/** Refuses new calls: a stopped turn is only repeated from what was remembered of it. */
function withoutNewCalls(model: Model): Model {
  return { ...model, enter: () => Promise.reject(TURN_STOPPED), call: () => Promise.reject(TURN_STOPPED) };
}

const TURN_STOPPED = new HarnessError('agent_stopped', 'The turn was stopped here.');

/** Gives every open call a result, and keeps the text written so far. */
async function closeTurn(session: AgentConversation, { end, text }: TurnStop): Promise<void> {
  const last = session.entries.at(-1);
  const calls = last?.type === 'message' && last.origin === 'model' ? listToolUses(last.message) : [];
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

/** Moves entries that are not ancestors of the head to another lane: they were undone, and keep their numbers. */
export function selectBranch(entries: readonly Entry[], { lane, after }: Pick<Turn, 'lane' | 'after'>): Entry[] {
  const until = after === '' ? 0 : Number(after.slice(1));
  const stays = new Set(
    listLineage(
      entries.filter((entry) => getEntryNumber(entry) <= until),
      lane,
    ),
  );
  return entries.map((entry) => (entry.lane === lane && !stays.has(entry) ? { ...entry, lane: 'taken-back' } : entry));
}

type TurnOutcome = {
  turn: Turn;
  made: readonly Entry[];
  stopped: TurnStop | undefined;
  spent: { calls: number; usd: number };
};

function createAnsweredEvent({ turn, made, stopped, spent }: TurnOutcome): SessionBody {
  const own = made.filter(({ lane }) => lane === turn.lane);
  const [first, last] = [own[0], own.at(-1)];
  return {
    type: 'session.answered',
    ...{ turn: turn.turn, end: stopped?.end ?? 'answered', ...spent },
    ...omitUndefined({ why: stopped?.why, code: stopped?.code }),
    ...(first !== undefined && last !== undefined && { entries: { first: first.id, last: last.id } }),
  };
}

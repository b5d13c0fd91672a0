/** The conversation of subject and user over one world, step by step, until one of them or a limit ends it. */
import { NO_USAGE, type Conversation, type SubjectInput, type SubjectCall } from '../../ports/subject.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import type { Usage } from '../../transcript/message.ts';
import { addUsage } from './add-usage.ts';
import { callTool, stageOf, type Stage, type ToolCall } from '../components/call-tool.ts';
import type { TrialRecord, TrialEvent, StopCause } from '../components/trial-record.ts';
import type { SimulatedUser } from './simulated-user.ts';
import type { TraceFile } from './trace-file.ts';

export type ConversationSetup = {
  conversation: Conversation;
  user: SimulatedUser;
  firstWords: string;
  world: JsonObject;
  stage: Stage;
  steps: number;
  /** By `now`, milliseconds. */
  endsAt: number;
  /** Money, US dollars; looked at between two turns. */
  usd: number | undefined;
  trace: TraceFile;
  now: () => number;
};

/** What changes while a trial runs. */
export type ConversationResult = Required<TrialRecord> & { usage: Usage; costUsd: number; detail: string | undefined };

export async function converse(setting: ConversationSetup, signal: AbortSignal): Promise<ConversationResult> {
  const { conversation, firstWords, world, steps, endsAt, usd = Infinity, trace, now } = setting;
  const empty = { calls: [], says: [], events: [], usage: NO_USAGE, costUsd: 0, detail: undefined };
  const live: ConversationResult = { before: world, after: world, stop: 'done', ...empty };
  const stopWith = (stop: StopCause, detail?: string): ConversationResult => Object.assign(live, { stop, detail });
  let heard: SubjectInput | undefined = { type: 'user', text: firstWords };
  await happened(live, { type: 'user', step: 0, text: firstWords }, trace);

  for (let step = 1; step <= steps; step += 1) {
    signal.throwIfAborted();
    if (now() >= endsAt) return stopWith('seconds');
    if (live.costUsd >= usd) return stopWith('money', `${live.costUsd.toFixed(4)} of ${usd} US dollars are spent`);
    const turn = await conversation.next(heard, endsAt - now(), signal);
    book(live, turn);
    if (turn.says !== '') {
      live.says.push(turn.says);
      await happened(live, { type: 'says', step, text: turn.says }, trace);
    }
    if (turn.end !== undefined) return stopWith(turn.end.stop, turn.end.detail);
    if (turn.calls.length > 0) heard = await runCalls(live, turn.calls, step, setting, signal);
    else if (turn.goesOn === true) heard = undefined;
    else {
      const answered = await answer(live, turn.says, step, setting, signal);
      if (answered.end !== undefined) return stopWith(answered.end.stop, answered.end.detail);
      if (answered.says === undefined) return stopWith('done');
      heard = { type: 'user', text: answered.says };
      await happened(live, { type: 'user', step, text: answered.says }, trace);
    }
  }
  return stopWith('steps', `${steps} steps were not enough`);
}

/** In the trace, and in the order that checkers are shown. */
async function happened(live: ConversationResult, event: TrialEvent, trace: TraceFile): Promise<void> {
  live.events.push(event);
  await trace.write(event);
}

function book(live: ConversationResult, spent: { usage: Usage; costUsd: number }): void {
  live.usage = addUsage(live.usage, spent.usage);
  live.costUsd += spent.costUsd;
}

/** Parallel calls run one after the other, each on the world the last one left; their results are heard together. */
async function runCalls(
  live: ConversationResult,
  calls: readonly SubjectCall[],
  step: number,
  setting: ConversationSetup,
  signal: AbortSignal,
): Promise<SubjectInput> {
  const results = [];
  for (const { id, tool, args } of calls) {
    const { output, is_error } = await perform(live, { tool, args }, step, 'subject', setting, signal);
    results.push({ id, tool, output, is_error });
  }
  return { type: 'results', results };
}

async function answer(
  live: ConversationResult,
  said: string,
  step: number,
  setting: ConversationSetup,
  signal: AbortSignal,
) {
  const { user, endsAt, now } = setting;
  const act = (call: { tool: string; args: JsonObject }) => perform(live, call, step, 'user', setting, signal);
  const answered = await user.answer(said, act, endsAt - now(), signal);
  book(live, answered);
  return answered;
}

async function perform(
  live: ConversationResult,
  { tool, args }: { tool: string; args: JsonObject },
  step: number,
  by: 'subject' | 'user',
  { stage, trace }: ConversationSetup,
  signal: AbortSignal,
): Promise<Omit<ToolCall, 'world'>> {
  signal.throwIfAborted();
  const { world, ...call } = await callTool(stageOf(stage, by), tool, args, live.after, signal);
  const traced = { step, tool, input: args, ...call, ...(by === 'user' ? { by } : {}) };
  live.after = world;
  live.calls.push(traced);
  await happened(live, { type: 'call', ...traced }, trace);
  return call;
}

/** The conversation of subject and user over one world, step by step, until one of them or a limit ends it. */
import type { Conversation, SubjectInput, SubjectCall, SubjectTurn } from '../../ports/subject.ts';
import { addUsage, NO_USAGE, type Usage } from '../../transcript/message.ts';
import type { AnswerCost, UserChoice } from '../../scenario/trace.ts';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import {
  callTool,
  withOwnLane,
  narrowStage,
  type Stage,
  type ToolCall,
  type ToolRequest,
} from '../components/call-tool.ts';
import type { LoadedSample } from '../components/components.ts';
import { hasActedSinceUser, type TrialRecord, type TrialEvent } from '../components/trial-record.ts';
import { choosingUser } from '../chooser/choosing-user.ts';
import type { SimulatedUser } from './simulated-user.ts';
import type { TraceFile } from './trace-file.ts';

export type ConversationInput = {
  loaded: LoadedSample;
  /** Opens the conversation with the subject. */
  open: () => Promise<Conversation>;
  /** Limits for samples that set none. */
  limits: { steps: number; seconds: number; usd?: number | undefined };
  stage: Stage;
  /** Default: the sample's own, whose moves rules choose. */
  user?: SimulatedUser | undefined;
  now: () => number;
  signal: AbortSignal;
};

export type ConversationResult = Required<TrialRecord> & {
  usage: Usage;
  costUsd: number;
  detail: string | undefined;
  chosen?: UserChoice | undefined;
  /** Time, tokens and cost of each answer of the subject. */
  answers: AnswerCost[];
};

/** A conversation in progress: `result` grows with every event. */
type LiveConversation = {
  result: ConversationResult;
  stage: Stage;
  trace: TraceFile;
  user: SimulatedUser;
  now: () => number;
  leftMs: () => number;
  signal: AbortSignal;
};

export async function holdConversation(
  input: ConversationInput,
  trace: TraceFile,
  startedAt: number,
): Promise<ConversationResult> {
  const conversation = await input.open();
  try {
    const { loaded, limits, now, signal } = input;
    const { sample, world } = loaded;
    const endsAt = startedAt + (sample.limits.seconds ?? limits.seconds) * 1000;
    const empty = { calls: [], says: [], events: [], usage: NO_USAGE, costUsd: 0, detail: undefined, answers: [] };
    const result: ConversationResult = { before: world, after: world, stop: 'done', ...empty };
    const user = input.user ?? choosingUser(sample);
    const first = sample.user.says_first;
    const steps = sample.limits.steps ?? limits.steps;
    const usd = sample.limits.usd ?? limits.usd ?? Infinity;
    const end = await withOwnLane(input.stage, async (stage) => {
      const live: LiveConversation = { result, stage, trace, user, now, leftMs: () => endsAt - now(), signal };
      await recordEvent(live, { type: 'user', step: 0, text: first });
      return takeTurns(live, conversation, { first, steps, usd }).catch(toServerEnd);
    });
    return Object.assign(result, { detail: undefined, ...end });
  } finally {
    await conversation.close();
  }
}

type ConversationEnd = NonNullable<SubjectTurn['end']> & { chosen?: UserChoice };

/** Turns an unreachable tool server into an unscored end: the subject is not at fault. Rethrows other errors. */
function toServerEnd(error: unknown): ConversationEnd {
  if (isHarnessError(error, 'infrastructure') && error.details['server'] !== undefined)
    return { stop: 'infrastructure', detail: error.message };
  throw error;
}

async function takeTurns(
  live: LiveConversation,
  conversation: Conversation,
  { first, steps, usd }: { first: string; steps: number; usd: number },
): Promise<ConversationEnd> {
  const { result, leftMs, signal } = live;
  let input: SubjectInput | undefined = { type: 'user', text: first };
  for (let step = 1; step <= steps; step += 1) {
    signal.throwIfAborted();
    if (leftMs() <= 0) return { stop: 'seconds' };
    if (result.costUsd >= usd)
      return { stop: 'money', detail: `${result.costUsd.toFixed(4)} of ${usd} US dollars are spent` };
    const askedAt = live.now();
    const turn: SubjectTurn = await conversation.next(input, leftMs(), signal);
    addCost(result, turn);
    result.answers.push(answerCost(turn, live.now() - askedAt));
    if (turn.says !== '') {
      result.says.push(turn.says);
      await recordEvent(live, { type: 'says', step, text: turn.says });
    }
    if (turn.end !== undefined) return turn.end;
    if (turn.calls.length > 0) input = await runCalls(live, turn.calls, step);
    else if (turn.goesOn === true) input = undefined;
    else {
      const answer = await askUser(live, turn.says, { step, leftSteps: steps - step });
      const chosen = omitUndefined({ chosen: answer.chosen });
      if (answer.end !== undefined) return { ...answer.end, ...chosen };
      if (answer.says === undefined) return { stop: 'done', ...chosen };
      input = { type: 'user', text: answer.says };
      await recordEvent(live, { type: 'user', step, text: answer.says, ...chosen });
    }
  }
  return { stop: 'steps', detail: `${steps} steps were not enough` };
}

/** Records an event in the trace and in the list that checkers see. */
async function recordEvent({ result, trace }: LiveConversation, event: TrialEvent): Promise<void> {
  result.events.push(event);
  await trace.write(event);
}

function answerCost({ usage, costUsd }: SubjectTurn, durationMs: number): AnswerCost {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  const read = input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
  return { durationMs: Math.max(0, durationMs), in: read, out: output_tokens, usd: costUsd };
}

function addCost(result: ConversationResult, spent: { usage: Usage; costUsd: number }): void {
  result.usage = addUsage(result.usage, spent.usage);
  result.costUsd += spent.costUsd;
}

/** Parallel calls run one after the other, each on the world that the last one left; one input carries all results. */
async function runCalls(live: LiveConversation, calls: readonly SubjectCall[], step: number): Promise<SubjectInput> {
  const results = [];
  for (const { id, tool, args } of calls) {
    const { output, is_error } = await runCall(live, { tool, args }, { step });
    results.push({ id, tool, output, is_error });
  }
  return { type: 'results', results };
}

async function askUser(live: LiveConversation, said: string, { step, leftSteps }: { step: number; leftSteps: number }) {
  const act = (call: ToolRequest) => runCall(live, call, { step, by: 'user' });
  const talk = { hasActed: hasActedSinceUser(live.result.events), calls: [...live.result.calls], leftSteps };
  const answer = await live.user.answer({ said, act, leftMs: live.leftMs(), ...talk }, live.signal);
  addCost(live.result, answer);
  return answer;
}

/** `by` is set for calls of the user. */
async function runCall(
  live: LiveConversation,
  { tool, args }: ToolRequest,
  { step, by }: { step: number; by?: 'user' },
): Promise<Omit<ToolCall, 'world'>> {
  const { result, signal } = live;
  signal.throwIfAborted();
  const stage = narrowStage(live.stage, by ?? 'subject');
  const { world, ...call } = await callTool(stage, { tool, args, world: result.after }, signal);
  const traced = { step, tool, input: args, ...call, ...(by === undefined ? {} : { by }) };
  result.after = world;
  result.calls.push(traced);
  await recordEvent(live, { type: 'call', ...traced });
  return call;
}

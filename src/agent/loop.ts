/** Runs one turn of an agent: steps until the agent ends its turn. Other modules make every decision. */
import { ephemeralEntry } from '../context/index.ts';
import { HarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { MessageEntry } from '../transcript/entry.ts';
import { fillTemplate } from '../transcript/fill-template.ts';
import { createUserMessage, type ImageBlock } from '../transcript/message.ts';
import type { FittedModel } from './build-request.ts';
import type { Model, ModelRequest, ModelFacts } from '../ports/model.ts';
import type { OpenCall, AgentConversation, ConversationLog } from './agent-conversation.ts';
import type { Progress } from '../ports/progress.ts';
import type { ToolHost } from '../ports/tools/tool-host.ts';
import { chooseNextAction, repairFor, type NextAction, type Repair } from './next-action.ts';
import { runTools } from './run-tools.ts';

/** A request that is valid and fits, and the epoch for which its usage will be measured. */
export type FittedRequest = {
  request: ModelRequest;
  epoch: string;
  contextTokens: number;
  triggerTokens: number;
  /** Records the call; absent where calls are not recorded. */
  open?: (facts?: FittedModel) => Promise<OpenCall>;
};

export interface RequestFitter {
  /** The numbers of the policy, as the transcript records them. */
  readonly context?: MessageEntry['context'];
  /** Whether the model's thinking is bound to the messages before it, so that none of them may be removed. */
  readonly boundThinking?: boolean;
  /** Contract: compacts first when it is due or `force` is set; throws `context_overflow` when nothing helps. */
  fit(session: ConversationLog, force: boolean, signal: AbortSignal): Promise<FittedRequest>;
}

export type TurnDeps = {
  agent: string;
  model: Model;
  hosts: readonly ToolHost[];
  fitter: RequestFitter;
  maxSteps: number;
  /** Names the setting behind `maxSteps`, for a person who has to change it; the agent's file when absent. */
  limitedBy?: string;
  /** Prompt texts for a cut answer, an empty answer, a conversation that loses its thinking, and a near step limit. */
  reminders: { cut: string; empty: string; thinking: string; limit: string };
  /** Takes over when the agent's own model refuses to answer. */
  fallback?: FallbackModel | undefined;
  progress: Progress;
  /** Called before each call: adds what people have meanwhile said to the agent to its conversation. */
  listen?: (() => Promise<void>) | undefined;
};

type TurnContext = TurnDeps & { signal: AbortSignal };

/** Number of cut or empty answers in a row after which the turn is given up. */
const MAX_FRUITLESS = 3;
/** Number of pauses in a row after which the server is not waited for any longer. */
const MAX_PAUSES = 10;

type TurnTask = { origin: 'human' | 'harness' | 'reminder'; text: string; images?: readonly ImageBlock[] };

/** Opens a turn with `task` and runs it to its end; resolves with the closing text. */
export async function runTurn(session: AgentConversation, task: TurnTask, turn: TurnContext): Promise<string> {
  await session.append({ type: 'message', ...createOpeningEntry(task, turn) });
  let fruitless = 0;
  let last: NextAction['next'] = 'go_on';
  let fallback: FallbackModel | undefined;
  /** The server goes on with the last answer: nothing may follow it before the next call. */
  let paused = false;
  let pauses = 0;
  for (let step = 1; step <= turn.maxSteps; step += 1) {
    turn.signal.throwIfAborted();
    if (!paused) {
      await turn.listen?.();
      await remindOfLimit(session, turn, turn.maxSteps - step + 1);
    }
    const meaning = await callOnce(session, { ...turn, fallback }, { step, force: last === 'compact' });
    paused = meaning.next === 'go_on' && meaning.because === 'paused';
    if (meaning.next === 'end') return meaning.text;
    if (meaning.next === 'give_up') throw createStopError(turn, step, meaning.why);
    pauses = paused ? pauses + 1 : 0;
    if (pauses > MAX_PAUSES) throw createStopError(turn, step, `the server paused its turn ${pauses} times in a row`);
    fruitless = meaning.next === 'run_tools' || paused ? 0 : fruitless + 1;
    if ('why' in meaning) {
      const isInVain = meaning.next === last || (meaning.next === 'fall_back' && turn.fallback === fallback);
      if (isInVain) throw createStopError(turn, step, meaning.why);
      turn.progress({
        type: 'state',
        status: 'notice',
        detail: `${turn.agent}: ${meaning.why} ${REPAIRED[meaning.next]}`,
      });
      await repairSession(session, meaning.next, turn.reminders.thinking);
      if (meaning.next === 'fall_back') fallback = turn.fallback;
    } else if (fruitless > MAX_FRUITLESS) {
      throw createStopError(turn, step, `${fruitless} answers in a row were cut or empty`);
    }
    last = meaning.next;
  }
  const { limitedBy = `max_steps in agents/${turn.agent}/agent.yaml` } = turn;
  throw createStopError(turn, turn.maxSteps, `the step limit is reached (${limitedBy})`);
}

/**
 * Appends which answer of how many comes next, for that call alone (S2.7). Where thinking is bound the message stays, so it
 * says nothing that is no longer so after the call.
 */
async function remindOfLimit(
  session: AgentConversation,
  { maxSteps, reminders, fitter }: TurnDeps,
  left: number,
): Promise<void> {
  const isNear = (left === 1 && maxSteps > 1) || (left === 5 && maxSteps > 10);
  if (!isNear) return;
  const text = fillTemplate(reminders.limit, { answer: maxSteps - left + 1, left, most: maxSteps });
  await session.append(ephemeralEntry(text, fitter.boundThinking === true));
}

const REPAIRED: Readonly<Record<Repair, string>> = {
  compact: 'The context is compacted, and the request is sent once more.',
  drop_thinking: 'The request is sent once more without thinking.',
  fall_back: 'The fallback model of the agent goes on until this turn ends.',
};

/** A reminder opens no turn, so its entry records no context. */
function createOpeningEntry(
  { origin, text, images = [] }: TurnTask,
  { fitter: { context }, maxSteps }: TurnDeps,
): Pick<MessageEntry, 'origin' | 'message' | 'context' | 'holds'> {
  const opened = {
    origin,
    message: { role: 'user' as const, content: [...createUserMessage(text).content, ...images] },
  };
  return origin === 'reminder'
    ? { ...opened, holds: 'turn' }
    : { ...opened, ...omitUndefined({ context: context && { ...context, maxSteps } }) };
}

async function callOnce(
  session: AgentConversation,
  turn: TurnContext,
  { step, force }: { step: number; force: boolean },
): Promise<NextAction> {
  const fitted = await turn.fitter.fit(session, force, turn.signal);
  const { model, fallback } = turn;
  const request = fallback === undefined ? fitted.request : adaptRequest(fallback, fitted.request);
  const record = await fitted.open?.(fallback?.facts);
  const response = await (fallback?.model ?? model).call(request, turn.signal).catch(async (error: unknown) => {
    await record?.failed(error);
    const repair = repairFor(error);
    if (repair === undefined) throw error;
    return repair;
  });
  if ('next' in response) return response;
  const meaning = chooseNextAction(response, request);
  turn.progress({
    type: 'step',
    agent: turn.agent,
    step,
    tools: meaning.next === 'run_tools' ? meaning.calls.map((call) => call.name) : [],
    contextTokens: fitted.contextTokens,
    triggerTokens: fitted.triggerTokens,
    ...omitUndefined({ requestId: response.requestId }),
  });
  let answerEntry: string | undefined;
  if ('message' in meaning && meaning.message !== undefined) {
    const { model, requestId, stopReason, usage } = response;
    const { id } = await session.append({
      type: 'message',
      origin: 'model',
      message: meaning.message,
      ...(meaning.next === 'go_on' && meaning.because === 'paused' ? { pauses: true } : {}),
      response: {
        model,
        ...omitUndefined({ requestId }),
        stopReason,
        usage,
        view: fitted.epoch,
        estimated: fitted.contextTokens,
      },
    });
    answerEntry = id;
  }
  await record?.answered(response, answerEntry);
  await appendFollowUp(session, meaning, turn);
  return meaning;
}

async function appendFollowUp(session: AgentConversation, meaning: NextAction, turn: TurnContext): Promise<void> {
  if (meaning.next === 'run_tools') {
    const message = await runTools(meaning.calls, turn.hosts, turn.signal);
    await session.append({ type: 'message', origin: 'tools', message });
  }
  if (meaning.next === 'go_on' && meaning.because !== 'paused') {
    const text = meaning.because === 'cut' ? turn.reminders.cut : turn.reminders.empty;
    await session.append({ type: 'message', origin: 'reminder', message: createUserMessage(text) });
  }
}

function createStopError({ agent }: TurnDeps, step: number, why: string): HarnessError {
  return new HarnessError('agent_stopped', `Agent ${agent} stopped at its response ${step}: ${why}.`, {
    details: { agent, response: step },
  });
}

/** The agent's `fallback_model`, used from a refusal until the turn ends. */
type FallbackModel = { model: Model; facts: ModelFacts };

/**
 * Adds a reminder as text after open tool results: it closes their tool loop, which may not lose its thinking otherwise
 * (docs/internals/api-rules.md §2.5). A compaction is made when the next request is fitted.
 */
async function repairSession(session: AgentConversation, repair: Repair, reminder: string): Promise<void> {
  if (repair === 'compact') return;
  await session.append({
    type: 'message',
    origin: 'reminder',
    message: createUserMessage(reminder),
    dropsThinking: true,
  });
}

/** Adapts the request to another model, within the limits of that model. */
function adaptRequest({ facts }: FallbackModel, request: ModelRequest): ModelRequest {
  const { thinking, output_config, ...rest } = request;
  const bound = thinking?.block_binding !== undefined && facts.boundThinking ? thinking : undefined;
  const own = facts.thinking === undefined ? undefined : { type: facts.thinking };
  const max_tokens = Math.min(request.max_tokens, facts.maxOutput);
  return {
    ...rest,
    model: facts.id,
    max_tokens,
    ...omitUndefined({ thinking: bound ?? own, ...(facts.taskBudget === true ? { output_config } : {}) }),
  };
}

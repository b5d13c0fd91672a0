/** Wraps a model so that every call is reserved, made, settled, and remembered if usable: a repeated step pays only for what is new. */
import { z } from 'zod';
import { canonicalJson, sha256 } from '../../disk/sha256.ts';
import { Block, StopReason, Usage } from '../../transcript/message.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import { judgeAnswer } from '../../ports/answer-meaning.ts';
import type { CallTerms, Model, ModelFacts, ModelRequest, ModelResponse } from '../../ports/model.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { createInputBound, type InputBound } from './input-bound.ts';
import { createSettlement, openCallTries, type CallMoney, type CallTries } from './call-tries.ts';

const RATE_FIELDS = { input: z.number(), output: z.number(), cacheWrite: z.number(), cacheRead: z.number() };
const Price = z.strictObject({
  ...RATE_FIELDS,
  longPrompt: z.strictObject({ ...RATE_FIELDS, above: z.int().positive() }).optional(),
});

/** `turns/<lane>.0001.json` holds the paid answer and the digest of the request it answers. */
export const RememberedCall = z.strictObject({
  version: z.literal(1),
  digest: z.string(),
  response: z.strictObject({
    id: z.string(),
    model: z.string(),
    requestId: z.string().optional(),
    content: z.array(Block),
    stopReason: StopReason,
    stopDetails: z.strictObject({ category: z.string().optional(), explanation: z.string().optional() }).optional(),
    usage: Usage,
    usageUnknown: z.literal(true).optional(),
  }),
  /** Number of the try that was answered, counted from 0; the first when absent. */
  nth: z.int().positive().optional(),
  /** Prices at the time of the call, because the table may change before it is settled. Absent in earlier versions. */
  price: Price.optional(),
  /** Milliseconds until the answer; a replay reports the same, and no request depends on it. */
  ms: z.int().nonnegative().optional(),
  at: z.iso.datetime().optional(),
});

/** Number of digits of a request's digest in the name of its call. */
const DIGEST_IN_ID = 8;

export type PaidModelOptions = Omit<CallMoney, 'facts'> & {
  model: Model;
  facts: ModelFacts;
  attempt: Pick<Attempt, 'step' | 'recall' | 'remember'>;
  lane: string;
  /** Facts about the conversation from earlier turns; none when absent. */
  bound?: InputBound;
  /** Called after the money is reserved and before it is spent; a rejection releases it and nothing is called. */
  begin?: (() => Promise<void>) | undefined;
  /** Called after each call that was really paid. */
  onPaid: (usd: number) => void;
  /** Monotonic clock in milliseconds, to measure how long an answer takes. */
  now?: () => number;
};

/** Settlement of the conversation that the call belongs to. */
type PaidCallOptions = PaidModelOptions & { settleAnswer: ReturnType<typeof createSettlement> };

type PaidCall = {
  request: ModelRequest;
  name: string;
  digest: string;
  call: string;
  signal: AbortSignal;
  terms: CallTerms;
};

/** Numbers calls in the order they are made, which is the same at every try of the same step. */
export function createPaidModel(given: PaidModelOptions): Model {
  let calls = 0;
  const nameOf = (call: number): string => `${given.lane}.${String(call).padStart(4, '0')}`;
  const { model, attempt, bound = createInputBound() } = given;
  const settleAnswer = createSettlement();
  return {
    // Counting tokens is free of charge, so nothing is reserved.
    ...(model.countTokens === undefined ? {} : { countTokens: model.countTokens.bind(model) }),
    holdsNext: async () => (await attempt.recall(nameOf(calls + 1))) !== undefined,
    call: async (request, signal, terms = {}) => {
      calls += 1;
      const name = nameOf(calls);
      const digest = sha256(canonicalJson(request));
      const call = formatCallId(attempt.step, name, digest);
      const facts = {
        ...given.facts,
        ...omitUndefined({ inputAtMost: bound.atMost(request), continues: bound.continues(request) }),
      };
      const remembered = await recallAnswer(attempt, name, digest);
      if (remembered !== undefined) {
        const known = { ...facts, ...omitUndefined({ price: remembered.price }) };
        await settleAnswer({ request, call, ...remembered }, { ...given, facts: known });
      } else terms.onPhase?.('waiting');
      const paid = { request, name, digest, call, signal, terms };
      const response = remembered?.response ?? (await payUntilUsable(paid, { ...given, facts, settleAnswer }));
      if (response.usageUnknown !== true) bound.counted(request, response.usage, response.at);
      return response;
    },
  };
}

/** Resolves with the last answer even if it is unusable; such an answer is not remembered, and the caller judges it. */
async function payUntilUsable(paid: PaidCall, options: PaidCallOptions): Promise<ModelResponse> {
  const caller = options.agent === 'subject' ? 'participant' : 'agent';
  const judge = (answer: ModelResponse) => judgeAnswer(answer, paid.request, caller);
  for (let again = 0; ; again += 1) {
    const response = await payOnce(paid, options, (answer) => judge(answer).means === 'use');
    const judged = judge(response);
    if (judged.means === 'use' || again >= judged.again) return response;
  }
}

/** Names a call in the ledger: by step, lane, number, and the beginning of its request's digest. */
export function formatCallId(step: string, name: string, digest: string): string {
  return `${step}.${name.replaceAll('/', '.')}.${digest.slice(0, DIGEST_IN_ID)}`;
}

/** Returns the step in such a name; all questions of a chat count as one. */
export function parseCallStep(call: string): string {
  return /^(?:design\.r\d+|execute\.i\d+|chat)(?=\.)/.exec(call)?.[0] ?? call;
}

async function recallAnswer(
  attempt: PaidModelOptions['attempt'],
  name: string,
  digest: string,
): Promise<{ response: ModelResponse; nth: number; price: ModelFacts['price'] | undefined } | undefined> {
  const stored = RememberedCall.safeParse(await attempt.recall(name));
  if (!stored.success || stored.data.digest !== digest) return undefined;
  const { requestId, stopDetails, usageUnknown, ...response } = stored.data.response;
  const { ms, at, nth = 0, price } = stored.data;
  return {
    response: omitUndefined({
      ...response,
      requestId,
      stopDetails: stopDetails && omitUndefined(stopDetails),
      usageUnknown,
      ms,
      at,
    }),
    nth,
    price: price && omitUndefined(price),
  };
}

/**
 * Enters the provider's limits before reserving, so that a waiting call holds no money that others could use. Repeats a
 * call whose answer was cut because less output was reserved than the request allows.
 */
async function payOnce(
  paid: PaidCall,
  options: PaidCallOptions,
  isUsable: (answer: ModelResponse) => boolean,
): Promise<ModelResponse> {
  const { request, name, digest, call } = paid;
  const { now = () => performance.now(), model, facts, attempt } = options;
  const startedAt = now();
  const leave = await model.enter?.(request, paid.signal);
  try {
    for (let isLean = true; ; isLean = false) {
      const tries = openCallTries(paid, options, isLean);
      const answered = await callWithMoney(paid, options, tries);
      const ms = Math.max(0, Math.round(now() - startedAt));
      const response = { ...answered, ms, at: answered.at ?? new Date().toISOString() };
      const { nth, maxTokens } = tries.now();
      const isCut = response.stopReason === 'max_tokens' && maxTokens < request.max_tokens;
      if (!isCut && isUsable(response)) {
        const { ms: _ms, at, ...stored } = response;
        const remembered = { version: 1, digest, response: stored, ...(nth === 0 ? {} : { nth }), price: facts.price };
        await attempt.remember(name, { ...remembered, ms, at });
      }
      options.onPaid(await options.settleAnswer({ request, call, response, nth }, options));
      if (!isCut) return response;
    }
  } finally {
    leave?.();
  }
}

async function callWithMoney(
  { request, signal, terms }: PaidCall,
  { agent, begin, model }: PaidModelOptions,
  tries: CallTries,
): Promise<ModelResponse> {
  await tries.reserve();
  try {
    await begin?.();
  } catch (error) {
    await tries.release();
    throw error;
  }
  const money = {
    onFailedTry: tries.fail,
    onNextTry: tries.reserve,
    maxTokens: () => tries.now().maxTokens,
  };
  return model.call(request, signal, { ...terms, ...money, agent }).catch(async (error: unknown) => {
    // A failure that reports no bill may have cost any amount.
    await tries.fail({ billed: 'unknown' });
    throw error;
  });
}

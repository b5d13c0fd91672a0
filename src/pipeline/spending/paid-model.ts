/** A model whose every call is reserved, made, settled, and remembered if it may be used: a step that is tried again pays only what is new. */
import { z } from 'zod';
import { canonicalJson } from '../../disk/canonical-json.ts';
import { sha256 } from '../../disk/sha256.ts';
import { Block, StopReason, Usage } from '../../transcript/message.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import { judgeAnswer } from '../../ports/answer-meaning.ts';
import { costOf, type Model, type ModelFacts, type ModelRequest, type ModelResponse } from '../../ports/model.ts';
import type { Spending } from '../../ports/run-store.ts';
import { omitUndefined } from '../../omit-undefined.ts';

/** `turns/<lane>.0001.json`: the answer that was paid for, and the digest of the request it answers. */
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
  }),
  /** Which try of the call it was, where an earlier answer could not be used; absent: the first. */
  tries: z.int().min(2).optional(),
  /** How long the answer took; a replay reports the same, and no request depends on it. */
  ms: z.int().nonnegative().optional(),
});

/** Digits of a request's digest in the name of its call. */
const DIGEST_IN_ID = 8;

export type PaidModelOptions = {
  model: Model;
  facts: ModelFacts;
  attempt: Pick<Attempt, 'step' | 'recall' | 'remember'>;
  spending: Spending;
  capUsd: number;
  agent: string;
  lane: string;
  /** After the money is reserved and before it is spent; a rejection gives the money back and nothing is called. */
  begin?: (() => Promise<void>) | undefined;
  /** After each call that was really paid. */
  onPaid: (usd: number) => void;
  /** Calls that the ledger holds as settled: a call that is made again is another one. Shared by the models of a step. */
  settled?: Set<string>;
  /** Milliseconds, for how long an answer takes: a monotonic clock. */
  now?: () => number;
};

type PaidCall = { request: ModelRequest; name: string; digest: string; signal: AbortSignal };

/** Calls are numbered in the order they are made, which is the same at every try of the same step. */
export function paidModel(given: PaidModelOptions): Model {
  let calls = 0;
  const options = { ...given, settled: given.settled ?? new Set<string>() };
  const { model, attempt } = options;
  return {
    // Free of charge, so nothing is reserved.
    ...(model.countTokens === undefined ? {} : { countTokens: model.countTokens.bind(model) }),
    call: async (request, signal) => {
      calls += 1;
      const name = `${options.lane}.${String(calls).padStart(4, '0')}`;
      const digest = sha256(canonicalJson(request));
      const remembered = await recall(attempt, name, digest);
      if (remembered !== undefined) {
        const { tries, response } = remembered;
        const call = callId(attempt.step, triedName(name, tries), digest);
        await options.spending.settle(call, response.usage, { price: options.facts.price, ms: response.ms });
        return response;
      }
      return payUntilUsable({ request, name, digest, signal }, options);
    },
  };
}

/** The last answer, also when it cannot be used: then it is not remembered, and the caller reads what it means. */
async function payUntilUsable(paid: PaidCall, options: Options): Promise<ModelResponse> {
  const caller = options.agent === 'subject' ? 'participant' : 'agent';
  for (let again = 0; ; again += 1) {
    const response = await pay(paid, options, (answer) => judgeAnswer(answer, paid.request, caller).means === 'use');
    const judged = judgeAnswer(response, paid.request, caller);
    if (judged.means === 'use' || again >= judged.again) return response;
  }
}

/** How the ledger names a call: by step, lane and number, and the beginning of its request's digest. */
export function callId(step: string, name: string, digest: string): string {
  return `${step}.${name.replaceAll('/', '.')}.${digest.slice(0, DIGEST_IN_ID)}`;
}

/** The step that such a name begins with; all questions of a chat count as one. */
export function stepOfCall(call: string): string {
  return /^(?:design\.r\d+|execute\.i\d+|chat)(?=\.)/.exec(call)?.[0] ?? call;
}

/** `init.0003~2` is the second try of a call whose first answer could not be used. */
export function triedName(name: string, tries: number): string {
  return tries === 1 ? name : `${name}~${tries}`;
}

async function recall(
  attempt: PaidModelOptions['attempt'],
  name: string,
  digest: string,
): Promise<{ response: ModelResponse; tries: number } | undefined> {
  const stored = RememberedCall.safeParse(await attempt.recall(name));
  if (!stored.success || stored.data.digest !== digest) return undefined;
  const { requestId, stopDetails, ...response } = stored.data.response;
  const { ms, tries = 1 } = stored.data;
  return {
    response: omitUndefined({ ...response, requestId, stopDetails: stopDetails && omitUndefined(stopDetails), ms }),
    tries,
  };
}

type IsUsable = (response: ModelResponse) => boolean;

/** The place at the provider comes before the reservation: a waiting call holds no money that others could use. */
async function pay(paid: PaidCall, options: Options, isUsable: IsUsable): Promise<ModelResponse> {
  const { now = () => performance.now() } = options;
  const startedAt = now();
  const leave = await options.model.enter?.(paid.request, paid.signal);
  try {
    return await payHere(paid, { ...options, isUsable }, () => Math.max(0, Math.round(now() - startedAt)));
  } finally {
    leave?.();
  }
}

type Options = PaidModelOptions & { settled: Set<string> };

async function payHere(
  { request, name, digest, signal }: PaidCall,
  options: Options & { isUsable: IsUsable },
  elapsedMs: () => number,
): Promise<ModelResponse> {
  const { begin, model, attempt, spending, facts, agent, capUsd, onPaid, settled, isUsable } = options;
  const tries = nextTry((one) => settled.has(callId(attempt.step, triedName(name, one), digest)));
  const call = callId(attempt.step, triedName(name, tries), digest);
  const answer = async (): Promise<ModelResponse> => {
    await begin?.();
    return model.call(request, signal);
  };
  await spending.reserve({ call, agent, model: request.model, worstUsd: worstCase(request, facts) }, capUsd);
  const response = await answer().catch(async (error: unknown) => {
    await spending.release(call);
    throw error;
  });
  const ms = elapsedMs();
  if (isUsable(response))
    await attempt.remember(name, { version: 1, digest, response, ...(tries === 1 ? {} : { tries }), ms });
  settled.add(call);
  onPaid(await spending.settle(call, response.usage, { price: facts.price, ms }));
  return { ...response, ms };
}

/** A call that was settled and is made again had an answer that could not be used, or that a person discarded. */
function nextTry(isSettled: (tries: number) => boolean): number {
  let tries = 1;
  while (isSettled(tries)) tries += 1;
  return tries;
}

/** Every input token written to the cache, every output token used: nothing can cost more than this. */
function worstCase(request: ModelRequest, facts: ModelFacts): number {
  const characters = JSON.stringify({
    system: request.system,
    tools: request.tools,
    messages: request.messages,
  }).length;
  const usage = {
    input_tokens: 0,
    cache_creation_input_tokens: Math.ceil(characters / 2),
    cache_read_input_tokens: 0,
    output_tokens: request.max_tokens,
  };
  return costOf(usage, facts.price);
}

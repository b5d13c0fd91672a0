/** A model whose every call is reserved, made once, remembered, and settled: a step that is tried again pays only what is new. */
import { z } from 'zod';
import { canonicalJson } from '../../disk/canonical-json.ts';
import { sha256 } from '../../disk/sha256.ts';
import { Block, StopReason, Usage } from '../../transcript/message.ts';
import type { Attempt } from '../../ports/artifacts.ts';
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
    usage: Usage,
  }),
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
  /** Milliseconds, for how long an answer takes: a monotonic clock. */
  now?: () => number;
};

type PaidCall = { request: ModelRequest; name: string; digest: string; call: string; signal: AbortSignal };

/** Calls are numbered in the order they are made, which is the same at every try of the same step. */
export function paidModel(options: PaidModelOptions): Model {
  let calls = 0;
  const { model } = options;
  return {
    // Free of charge, so nothing is reserved.
    ...(model.countTokens === undefined ? {} : { countTokens: model.countTokens.bind(model) }),
    call: async (request, signal) => {
      calls += 1;
      const name = `${options.lane}.${String(calls).padStart(4, '0')}`;
      const digest = sha256(canonicalJson(request));
      const call = callId(options.attempt.step, name, digest);
      const remembered = await recall(options.attempt, name, digest);
      if (remembered !== undefined) {
        await options.spending.settle(call, remembered.usage, { price: options.facts.price, ms: remembered.ms });
        return remembered;
      }
      return pay({ request, name, digest, call, signal }, options);
    },
  };
}

/** How the ledger names a call: by step, lane and number, and the beginning of its request's digest. */
export function callId(step: string, name: string, digest: string): string {
  return `${step}.${name.replaceAll('/', '.')}.${digest.slice(0, DIGEST_IN_ID)}`;
}

/** The step that such a name begins with; all questions of a chat count as one. */
export function stepOfCall(call: string): string {
  return /^(?:design\.r\d+|execute\.i\d+|chat)(?=\.)/.exec(call)?.[0] ?? call;
}

async function recall(
  attempt: PaidModelOptions['attempt'],
  name: string,
  digest: string,
): Promise<ModelResponse | undefined> {
  const stored = RememberedCall.safeParse(await attempt.recall(name));
  if (!stored.success || stored.data.digest !== digest) return undefined;
  const { requestId, ...response } = stored.data.response;
  const { ms } = stored.data;
  return omitUndefined({ ...response, requestId, ms });
}

/** The place at the provider comes before the reservation: a waiting call holds no money that others could use. */
async function pay(paid: PaidCall, options: PaidModelOptions): Promise<ModelResponse> {
  const { now = () => performance.now() } = options;
  const startedAt = now();
  const leave = await options.model.enter?.(paid.request, paid.signal);
  try {
    return await payHere(paid, options, () => Math.max(0, Math.round(now() - startedAt)));
  } finally {
    leave?.();
  }
}

async function payHere(
  { request, name, digest, call, signal }: PaidCall,
  { begin, model, attempt, spending, facts, agent, capUsd, onPaid }: PaidModelOptions,
  elapsedMs: () => number,
): Promise<ModelResponse> {
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
  await attempt.remember(name, { version: 1, digest, response, ms });
  onPaid(await spending.settle(call, response.usage, { price: facts.price, ms }));
  return { ...response, ms };
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

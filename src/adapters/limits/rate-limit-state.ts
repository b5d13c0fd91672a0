/** The state of one limited lane, and the decision on each request: pure functions without a clock. */
import { z } from 'zod';
import type { LaneLimit, ProviderAllowances } from '../../ports/limits.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { EMPTY_PACE, paceAfter, paceCorrected, paceLearned, paceWait } from './token-pace.ts';

const List = z.array(z.object({ id: z.string(), until: z.number() }));
const Allowance = z.object({ limit: z.number().positive(), remaining: z.number(), at: z.number() }).optional();
/** All times are in milliseconds. A call without a heartbeat before `until` is dead. */
const RateLimitState = z.object({
  pausedUntil: z.number(),
  calls: z.array(z.object({ id: z.string(), at: z.number(), tokens: z.number() })),
  running: List,
  waiting: List,
  pace: z
    .object({
      requestsAt: z.number(),
      tokensAt: z.number(),
      provider: z
        .object({ requests: Allowance, tokens: Allowance, inputTokens: Allowance, outputTokens: Allowance })
        .transform((found) => omitUndefined(found)),
    })
    // Absent in a book of an older program.
    .default(EMPTY_PACE),
});
export type RateLimitState = z.infer<typeof RateLimitState>;

export type RateLimitRequest =
  /** `again`: a call that already has its slot is tried once more. */
  | { type: 'enter'; id: string; tokens: number; limit: LaneLimit; windowMs: number; again: boolean }
  | { type: 'leave'; id: string; tokens?: number | undefined; limit: LaneLimit; windowMs: number }
  | { type: 'alive'; ids: readonly string[] }
  | { type: 'pause'; ms: number }
  | { type: 'learn'; allowances: ProviderAllowances };

export type RateLimitReason = 'paused' | 'turn' | 'concurrency' | 'requests' | 'tokens' | 'pace' | 'provider';
/** `waitMs: 0` grants a slot; otherwise the caller asks again after that time. */
export type RateLimitReply = { waitMs: number; why?: RateLimitReason | undefined };

/** Stores the state for all processes. Contract: requests are applied one after the other, each to the result of the previous one. */
export type RateLimitStore = { ask(lane: string, ask: RateLimitRequest): Promise<RateLimitReply> };

/** A slot without a heartbeat for that long is free again. */
export const SLOT_LEASE_MS = 30_000;
/** A waiting call asks at least that often. */
export const LONGEST_WAIT_MS = 1_000;
const WAITING_MS = 5_000;
/** The pause while other calls come first or all slots are taken, because no signal says when that ends. */
const LOOK_MS = 100;

export const EMPTY_RATE_LIMIT_STATE: RateLimitState = {
  ...{ pausedUntil: 0, calls: [], running: [], waiting: [] },
  pace: EMPTY_PACE,
};

type RateLimitStep = { book: RateLimitState; answer: RateLimitReply };

export function applyRateLimitRequest(book: RateLimitState, ask: RateLimitRequest, now: number): RateLimitStep {
  const running = book.running.filter(({ until }) => until > now);
  const done: RateLimitReply = { waitMs: 0 };
  switch (ask.type) {
    case 'enter':
      return enterLane({ ...book, running }, ask, now);
    case 'leave': {
      const { id, tokens } = ask;
      const last = book.calls.findLastIndex((call) => call.id === id);
      // Earlier tries of the same call were answered with an error, and used no tokens.
      const used = (index: number): number => (index === last ? (tokens ?? 0) : 0);
      const calls =
        tokens === undefined
          ? book.calls
          : book.calls.map((call, index) => (call.id === id ? { ...call, tokens: used(index) } : call));
      const expected = book.calls[last]?.tokens ?? 0;
      const pace = tokens === undefined ? book.pace : paceCorrected(book.pace, tokens - expected, ask);
      const [left, waiting] = [running, book.waiting].map((list) => list.filter((one) => one.id !== id));
      return { book: { ...book, calls, running: left ?? [], waiting: waiting ?? [], pace }, answer: done };
    }
    case 'alive': {
      const others = running.filter(({ id }) => !ask.ids.includes(id));
      const mine = ask.ids.map((id) => ({ id, until: now + SLOT_LEASE_MS }));
      return { book: { ...book, running: [...others, ...mine] }, answer: done };
    }
    case 'pause':
      return { book: { ...book, running, pausedUntil: Math.max(book.pausedUntil, now + ask.ms) }, answer: done };
    case 'learn':
      return { book: { ...book, running, pace: paceLearned(book.pace, ask.allowances, now) }, answer: done };
    default:
      return ask satisfies never;
  }
}

/** A lane without limits is delayed only by what the provider's headers say. */
export function isLimited({ concurrency, requestsPerMinute, tokensPerMinute }: LaneLimit): boolean {
  return concurrency !== undefined || requestsPerMinute !== undefined || tokensPerMinute !== undefined;
}

type EnterRequest = Extract<RateLimitRequest, { type: 'enter' }>;

function enterLane(before: RateLimitState, ask: EnterRequest, now: number): RateLimitStep {
  const { id, tokens, again } = ask;
  if (!isLimited(ask.limit)) {
    return enterUnlimited(before, ask, now);
  }
  const calls = before.calls.filter(({ at }) => at > now - ask.windowMs);
  const mine = { id, until: now + WAITING_MS };
  const seen = before.waiting.filter((one) => one.id === id || one.until > now);
  const waiting = seen.some((one) => one.id === id) ? seen.map((one) => (one.id === id ? mine : one)) : [...seen, mine];
  const book = { ...before, calls, waiting: again ? seen : waiting };
  const answer = findWaitReason(book, ask, now);
  if (answer !== undefined)
    return { book, answer: { ...answer, waitMs: Math.max(1, Math.min(answer.waitMs, LONGEST_WAIT_MS)) } };
  return {
    book: {
      ...book,
      calls: [...calls, { id, at: now, tokens }],
      pace: paceAfter(book.pace, ask, now),
      waiting: book.waiting.filter((one) => one.id !== id),
      running: [...book.running.filter((one) => one.id !== id), { id, until: now + SLOT_LEASE_MS }],
    },
    answer: { waitMs: 0 },
  };
}

function enterUnlimited(book: RateLimitState, ask: EnterRequest, now: number): RateLimitStep {
  const paused = book.pausedUntil > now ? { waitMs: book.pausedUntil - now, why: 'paused' as const } : undefined;
  const answer = paused ?? paceWait(book.pace, ask, now);
  if (answer !== undefined)
    return { book, answer: { ...answer, waitMs: Math.max(1, Math.min(answer.waitMs, LONGEST_WAIT_MS)) } };
  // Until the provider's headers have stated a limit, there is nothing to store.
  const isKnown = Object.keys(book.pace.provider).length > 0;
  return { book: isKnown ? { ...book, pace: paceAfter(book.pace, ask, now) } : book, answer: { waitMs: 0 } };
}

function findWaitReason(book: RateLimitState, ask: EnterRequest, now: number): RateLimitReply | undefined {
  const { running, waiting, pausedUntil } = book;
  if (pausedUntil > now) return { waitMs: pausedUntil - now, why: 'paused' };
  if (!ask.again) {
    if (waiting[0]?.id !== ask.id) return { waitMs: LOOK_MS, why: 'turn' };
    if (running.length >= (ask.limit.concurrency ?? Infinity)) return { waitMs: LOOK_MS, why: 'concurrency' };
  }
  const smooth = paceWait(book.pace, ask, now);
  const full = windowFull(book, ask, now);
  return (full?.waitMs ?? 0) >= (smooth?.waitMs ?? 0) ? full : smooth;
}

/** Keeps every window within the limits, whatever the pace. */
function windowFull({ calls }: RateLimitState, ask: EnterRequest, now: number): RateLimitReply | undefined {
  const { tokens, limit, windowMs } = ask;
  const leaves = (call: { at: number } | undefined): number => (call?.at ?? now) + windowMs - now;
  const { requestsPerMinute = Infinity, tokensPerMinute = Infinity } = limit;
  if (calls.length >= requestsPerMinute)
    return { waitMs: leaves(calls[calls.length - requestsPerMinute]), why: 'requests' };
  let over = calls.reduce((sum, call) => sum + call.tokens, tokens) - tokensPerMinute;
  if (over <= 0) return undefined;
  // A call that is larger than the whole limit starts when it is alone; otherwise it would wait for ever.
  for (const call of calls) {
    over -= call.tokens;
    if (over <= 0) return { waitMs: leaves(call), why: 'tokens' };
  }
  return calls.length === 0 ? undefined : { waitMs: leaves(calls.at(-1)), why: 'tokens' };
}

/** Parses a lane's book from a store; an unreadable one counts as empty. */
export function readBook(value: unknown): RateLimitState {
  return RateLimitState.safeParse(value).data ?? EMPTY_RATE_LIMIT_STATE;
}

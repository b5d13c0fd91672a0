/** When the next call may go so that a minute's allowance is spread over the minute: a token bucket for each number, and the provider's own. */
import type { Limit, ProviderAllowance, ProviderAllowances } from '../../ports/limits.ts';

/**
 * `requestsAt`, `tokensAt`: when everything that was let go would have gone at an even pace (the theoretical arrival time
 * of GCRA). `provider`: what its headers said last, and when.
 */
export type Pace = {
  requestsAt: number;
  tokensAt: number;
  provider: { [kind in AllowanceKind]?: ProviderAllowance & { at: number } };
};
export type AllowanceKind = keyof ProviderAllowances;

export const EMPTY_PACE: Pace = { requestsAt: 0, tokensAt: 0, provider: {} };

/** So much of a minute's allowance may go at once, a sixtieth: what a second would have had. */
const BURST = 1 / 60;
/** Of the provider's allowance so much is left alone: calls under way are not counted in what its headers say. */
const RESERVE = 0.1;

type Next = { tokens: number; limit: Limit; windowMs: number };

/**
 * | number | a call goes when |
 * |---|---|
 * | `requestsPerMinute` | it is at most a second's worth of requests ahead of an even pace |
 * | `tokensPerMinute` | the tokens before it are |
 * | `anthropic-ratelimit-*` | what was left, refilled since at the provider's rate, holds it and a tenth more |
 */
export function paceWait(
  pace: Pace,
  next: Next,
  now: number,
): { waitMs: number; why: 'pace' | 'provider' } | undefined {
  const { requestsPerMinute, tokensPerMinute } = next.limit;
  const burstOf = (most: number) => Math.max(0, Math.floor(most * BURST) - 1) * (next.windowMs / most);
  const ownMs = Math.max(
    requestsPerMinute === undefined ? 0 : pace.requestsAt - now - burstOf(requestsPerMinute),
    tokensPerMinute === undefined ? 0 : pace.tokensAt - now - next.windowMs * BURST,
  );
  const providerMs = providerWait(pace, next, now);
  if (ownMs <= 0 && providerMs <= 0) return undefined;
  return providerMs > ownMs ? { waitMs: providerMs, why: 'provider' } : { waitMs: ownMs, why: 'pace' };
}

/** What was let go counts at once, by what it is expected to use. */
export function paceAfter(pace: Pace, { tokens, limit, windowMs }: Next, now: number): Pace {
  const { requestsPerMinute, tokensPerMinute } = limit;
  const later = (at: number, share: number) => Math.max(at, now) + share * windowMs;
  return {
    requestsAt: requestsPerMinute === undefined ? pace.requestsAt : later(pace.requestsAt, 1 / requestsPerMinute),
    tokensAt: tokensPerMinute === undefined ? pace.tokensAt : later(pace.tokensAt, tokens / tokensPerMinute),
    provider: eachAllowance(pace, (kind, one) => ({ ...one, remaining: one.remaining - need(kind, tokens) })),
  };
}

/** A call used more or less than was expected of it. */
export function paceCorrected(pace: Pace, moreTokens: number, { limit, windowMs }: Omit<Next, 'tokens'>): Pace {
  const { tokensPerMinute } = limit;
  if (tokensPerMinute === undefined) return pace;
  return { ...pace, tokensAt: pace.tokensAt + (moreTokens / tokensPerMinute) * windowMs };
}

/** The newest word counts, for every number of which there is one. */
export function paceLearned(pace: Pace, allowances: ProviderAllowances, now: number): Pace {
  const provider = { ...pace.provider };
  for (const kind of ALLOWANCE_KINDS) {
    const said = allowances[kind];
    if (said !== undefined) provider[kind] = { ...said, at: now };
  }
  return { ...pace, provider };
}

export const ALLOWANCE_KINDS = ['requests', 'tokens', 'inputTokens', 'outputTokens'] as const satisfies AllowanceKind[];

/** The provider refills evenly: all of its limit in a minute. */
function providerWait(pace: Pace, { tokens, windowMs }: Next, now: number): number {
  const waits = ALLOWANCE_KINDS.map((kind) => {
    const one = pace.provider[kind];
    if (one === undefined) return 0;
    const wanted = Math.min(one.limit, need(kind, tokens) + one.limit * RESERVE);
    const left = Math.min(one.limit, one.remaining + ((now - one.at) / windowMs) * one.limit);
    return ((wanted - left) / one.limit) * windowMs;
  });
  return Math.max(0, ...waits);
}

/** Of the output of a call nothing is known beforehand: the reserve is for it. */
function need(kind: AllowanceKind, tokens: number): number {
  if (kind === 'requests') return 1;
  return kind === 'outputTokens' ? 0 : tokens;
}

type Known = ProviderAllowance & { at: number };

function eachAllowance({ provider }: Pace, change: (kind: AllowanceKind, one: Known) => Known): Pace['provider'] {
  const changed: Pace['provider'] = {};
  for (const kind of ALLOWANCE_KINDS) {
    const one = provider[kind];
    if (one !== undefined) changed[kind] = change(kind, one);
  }
  return changed;
}

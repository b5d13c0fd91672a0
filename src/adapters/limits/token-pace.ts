/** Computes when the next call may start, so that calls are spread over the minute: token buckets for our limits and the provider's. */
import type { LaneLimit, ProviderAllowance, ProviderAllowances } from '../../ports/limits.ts';

/**
 * `requestsAt`, `tokensAt`: when all admitted calls would have started at an even pace (the theoretical arrival time of
 * GCRA). `provider`: what its headers said last, and when.
 */
export type Pace = {
  requestsAt: number;
  tokensAt: number;
  provider: { [kind in AllowanceKind]?: ProviderAllowance & { at: number } };
};
export type AllowanceKind = keyof ProviderAllowances;

export const EMPTY_PACE: Pace = { requestsAt: 0, tokensAt: 0, provider: {} };

/** The part of a minute's limit that may be used at once: a sixtieth, the share of one second. */
const BURST = 1 / 60;
/** The part of the provider's limit that stays unused, because its headers do not count calls in progress. */
const RESERVE = 0.1;

type NextCall = { tokens: number; limit: LaneLimit; windowMs: number };

/**
 * | number | a call goes when |
 * |---|---|
 * | `requestsPerMinute` | it is at most a second's worth of requests ahead of an even pace |
 * | `tokensPerMinute` | the tokens before it are |
 * | `anthropic-ratelimit-*` | what was left, refilled since at the provider's rate, holds it and a tenth more |
 */
export function paceWait(
  pace: Pace,
  next: NextCall,
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

/** An admitted call counts at once, with its expected tokens. */
export function paceAfter(pace: Pace, { tokens, limit, windowMs }: NextCall, now: number): Pace {
  const { requestsPerMinute, tokensPerMinute } = limit;
  const later = (at: number, share: number) => Math.max(at, now) + share * windowMs;
  return {
    requestsAt: requestsPerMinute === undefined ? pace.requestsAt : later(pace.requestsAt, 1 / requestsPerMinute),
    tokensAt: tokensPerMinute === undefined ? pace.tokensAt : later(pace.tokensAt, tokens / tokensPerMinute),
    provider: eachAllowance(pace, (kind, one) => ({ ...one, remaining: one.remaining - estimateNeed(kind, tokens) })),
  };
}

/** Corrects the pace after a call that used more or fewer tokens than expected. */
export function paceCorrected(pace: Pace, moreTokens: number, { limit, windowMs }: Omit<NextCall, 'tokens'>): Pace {
  const { tokensPerMinute } = limit;
  if (tokensPerMinute === undefined) return pace;
  return { ...pace, tokensAt: pace.tokensAt + (moreTokens / tokensPerMinute) * windowMs };
}

/** Stores the newest values of the headers, for every limit that they state. */
export function paceLearned(pace: Pace, allowances: ProviderAllowances, now: number): Pace {
  const provider = { ...pace.provider };
  for (const kind of ALLOWANCE_KINDS) {
    const said = allowances[kind];
    if (said !== undefined) provider[kind] = { ...said, at: now };
  }
  return { ...pace, provider };
}

export const ALLOWANCE_KINDS = ['requests', 'tokens', 'inputTokens', 'outputTokens'] as const satisfies AllowanceKind[];

/** The provider refills evenly: its whole limit in a minute. */
function providerWait(pace: Pace, { tokens, windowMs }: NextCall, now: number): number {
  const waits = ALLOWANCE_KINDS.map((kind) => {
    const one = pace.provider[kind];
    if (one === undefined) return 0;
    const wanted = Math.min(one.limit, estimateNeed(kind, tokens) + one.limit * RESERVE);
    const left = Math.min(one.limit, one.remaining + ((now - one.at) / windowMs) * one.limit);
    return ((wanted - left) / one.limit) * windowMs;
  });
  return Math.max(0, ...waits);
}

/** The output of a call is not known beforehand; the reserve covers it. */
function estimateNeed(kind: AllowanceKind, tokens: number): number {
  if (kind === 'requests') return 1;
  return kind === 'outputTokens' ? 0 : tokens;
}

type KnownAllowance = ProviderAllowance & { at: number };

function eachAllowance(
  { provider }: Pace,
  change: (kind: AllowanceKind, one: KnownAllowance) => KnownAllowance,
): Pace['provider'] {
  const changed: Pace['provider'] = {};
  for (const kind of ALLOWANCE_KINDS) {
    const one = provider[kind];
    if (one !== undefined) changed[kind] = change(kind, one);
  }
  return changed;
}

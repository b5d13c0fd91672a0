/** The limits port: how many calls a provider's model takes at once and per minute, for all who share them. */

export type LaneLimit = {
  concurrency?: number | undefined;
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
};

/** Calls that share one limit, and its numbers; without any number only a provider's pause is respected. */
export type LimitedLane = { lane: string; limit: LaneLimit };

/** The reason for which a call has to wait, for people. */
export type RateLimitWait = { lane: string; why: string; waitMs: number };

export type RateLimitSlot = {
  /** Counts one more request, because the same call is tried again. */
  again(signal: AbortSignal): Promise<void>;
  /** Contract: never throws; `usedTokens` replace the expected tokens. Leaving twice is harmless. */
  leave(usedTokens?: number): void;
};

/** `tokens` is what the call is expected to use; `onWait` receives the reason for a wait. */
export type SlotRequest = { tokens: number; onWait: (wait: RateLimitWait) => void; signal: AbortSignal };

/** One of the provider's own limits per minute, and what is left of it, as the provider reported them. */
export type ProviderAllowance = { limit: number; remaining: number };
export type ProviderAllowances = {
  requests?: ProviderAllowance;
  tokens?: ProviderAllowance;
  inputTokens?: ProviderAllowance;
  outputTokens?: ProviderAllowance;
};

export interface RateLimiter {
  /**
   * Contract: resolves when the call may be made at once: calls are spread over the minute, and slow down when the
   * provider has said that little is left. In no window of a minute are there more requests and tokens than
   * the limit; in one process the first call is served first; processes take turns. Rejects with the signal's
   * reason, and then nothing is stored for this call.
   */
  enter(lane: LimitedLane, request: SlotRequest): Promise<RateLimitSlot>;
  /** Keeps all processes that share the limits from calling until the provider's pause is over. Never throws. */
  pause(lane: string, ms: number): Promise<void>;
  /** Tells all processes that share the limits what the provider reported as left. Never throws. */
  learn(lane: string, allowances: ProviderAllowances): Promise<void>;
  close(): void;
}

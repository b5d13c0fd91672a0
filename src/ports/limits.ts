/** The limits port: how many calls a provider's model takes at once and in a minute, for all who share the limits. */

export type Limit = {
  concurrency?: number | undefined;
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
};

/** Calls that share one limit, and its numbers; without any number only a provider's pause is respected. */
export type LimitedLane = { lane: string; limit: Limit };

/** Why a call has to wait, for people. */
export type RateLimitWait = { lane: string; why: string; waitMs: number };

export type RateLimitSlot = {
  /** The same call is tried again: that is one more request. */
  again(signal: AbortSignal): Promise<void>;
  /** Contract: never throws; `usedTokens` replace the expected tokens. Leaving twice is harmless. */
  leave(usedTokens?: number): void;
};

/** `tokens` is what the call is expected to use; `onWait` receives the reason for a wait. */
export type SlotRequest = { tokens: number; onWait: (wait: RateLimitWait) => void; signal: AbortSignal };

/** What a provider said that one of its own limits of a minute is, and what is left of it. */
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
  /** The provider requested a pause: no process that shares the limits calls before it is over. Never throws. */
  pause(lane: string, ms: number): Promise<void>;
  /** The provider said what is left: every process that shares the limits goes by it. Never throws. */
  learn(lane: string, allowances: ProviderAllowances): Promise<void>;
  close(): void;
}

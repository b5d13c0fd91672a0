/** The usage of a run in tokens, which stays valid for forecasts when the prices of models change. */

/** Counts of tokens, or prices in US dollars per million tokens. */
export type Tokens = { input: number; cacheWrite: number; cacheRead: number; output: number };

export const NO_TOKENS: Tokens = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };

/** The usage of one paid party in a trial: `subject`, `user`, or another caller of a model. */
export type TrialUse = { who: string; model: string; tokens: Tokens };

export type RunUse = {
  /** The number of characters that Init may read. */
  sources: number;
  /** The number of samples in the largest iteration, and the minimum that the scenario required. */
  samples: number;
  samplesMin: number;
  rounds: number;
  iterations: number;
  /** Init: the first round, and the mean of the later ones. */
  design: Tokens;
  redesign: Tokens;
  /** Execute: the first iteration, and the mean of the later ones. */
  build: Tokens;
  repair: Tokens;
  /** The mean of the run's trials. */
  perTrial: readonly TrialUse[];
};

export function addTokens(one: Tokens, other: Tokens): Tokens {
  return mapTokens((key) => one[key] + other[key]);
}

export function scaleTokens(tokens: Tokens, factor: number): Tokens {
  return mapTokens((key) => tokens[key] * factor);
}

export function computeUsd(tokens: Tokens, price: Tokens): number {
  const { input, cacheWrite, cacheRead, output } = mapTokens((key) => tokens[key] * price[key]);
  return (input + cacheWrite + cacheRead + output) / 1_000_000;
}

function mapTokens(of: (key: keyof Tokens) => number): Tokens {
  return { input: of('input'), cacheWrite: of('cacheWrite'), cacheRead: of('cacheRead'), output: of('output') };
}

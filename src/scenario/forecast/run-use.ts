/** What a run used, in tokens: the units of a forecast, whatever the models cost by then. */

/** US dollars per million tokens when it is a price. */
export type Tokens = { input: number; cacheWrite: number; cacheRead: number; output: number };

export const NO_TOKENS: Tokens = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };

/** Who is paid in a trial: `subject`, `user`, and whatever else calls a model for it. */
export type TrialUse = { who: string; model: string; tokens: Tokens };

export type RunUse = {
  /** Characters of all that Init may read. */
  sources: number;
  /** Samples in the largest iteration, and the minimum that the scenario required. */
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
  /** The mean of its trials. */
  perTrial: readonly TrialUse[];
};

export function addTokens(one: Tokens, other: Tokens): Tokens {
  return mapTokens((key) => one[key] + other[key]);
}

export function scaleTokens(tokens: Tokens, factor: number): Tokens {
  return mapTokens((key) => tokens[key] * factor);
}

export function usdOf(tokens: Tokens, price: Tokens): number {
  const { input, cacheWrite, cacheRead, output } = mapTokens((key) => tokens[key] * price[key]);
  return (input + cacheWrite + cacheRead + output) / 1_000_000;
}

function mapTokens(of: (key: keyof Tokens) => number): Tokens {
  return { input: of('input'), cacheWrite: of('cacheWrite'), cacheRead: of('cacheRead'), output: of('output') };
}

/** Forecasts the cost of a run: samples × trials × steps × tokens × prices, and the length of earlier runs. */
import { z } from 'zod';
import { NO_TOKENS, scaleTokens, computeUsd, type RunUse, type Tokens } from './run-use.ts';
import { designSize, typicalUses, type ForecastBrief } from './typical-use.ts';

/** US dollars. Half of all such runs cost at most `p50`, nine of ten at most `p90`. */
export const Forecast = z.strictObject({
  p50: z.number().nonnegative(),
  p90: z.number().nonnegative(),
  /** The least cost of one design and one iteration; a run with a smaller cap cannot finish. */
  floor: z.number().nonnegative(),
  /** The parts of `p50`: `design`, `build`, `subject`, `user`, `graders`. */
  parts: z.record(z.string(), z.number().nonnegative()),
  /** Trials in one iteration. */
  trials: z.int().nonnegative(),
  /** The number of ended runs used, of this scenario and of others; both 0 means typical numbers only. */
  runs: z.strictObject({ same: z.int().nonnegative(), other: z.int().nonnegative() }),
});
export type Forecast = z.infer<typeof Forecast>;

/** The run's `forecast.json`: the forecast made before its first paid call. */
export const StartForecast = Forecast.extend({ version: z.literal(1) });
export type StartForecast = z.infer<typeof StartForecast>;

/** The run's own usage so far, with its finished rounds and iterations. */
export type SpentSoFar = { use: RunUse; rounds: number; iterations: number };

export type ForecastInput = {
  brief: ForecastBrief;
  /** The number of characters that Init may read. */
  sources: number;
  simulated: boolean;
  /** The price of each paid party: `init`, `execute`, `subject`, `user`. Missing: free or unknown. */
  prices: Readonly<Record<string, Tokens | undefined>>;
  /** Returns the price of a model, for any other party that was paid in earlier trials. */
  priceOf: (model: string) => Tokens | undefined;
  history: { same: readonly RunUse[]; other: readonly RunUse[] };
  /** Set at a gate, where only the remaining cost is counted. */
  soFar?: SpentSoFar | undefined;
};

/** Tolerance for weights, which are sums of fractions. */
const EPSILON = 1e-9;

/**
 * Spreads each case by a fifth to both sides, `[factor, weight]`, because even runs of one scenario differ in cost.
 * Without it a few equal runs would promise that the next one costs exactly as much.
 */
const SPREAD = [
  [0.83, 0.25],
  [1, 0.5],
  [1.2, 0.25],
] as const;

type WeightedUse = { use: RunUse; weight: number };
type WeightedCost = { parts: Record<string, number>; usd: number; weight: number };

export function computeForecast(input: ForecastInput): Forecast {
  const { same, other } = input.history;
  const cases = weightedCases(input);
  const all = cases.flatMap(({ use, weight }) => spreadCost(sumParts(planRemaining(input, use), weight)));
  const least = cases.map(({ use, weight }) =>
    sumParts(planRemaining(input, { ...use, rounds: 1, iterations: 1 }), weight),
  );
  const middle = findQuantile(all, 0.5);
  return {
    p50: middle.usd,
    p90: findQuantile(all, 0.9).usd,
    floor: findQuantile(least, 0.1).usd,
    parts: middle.parts,
    trials: input.brief.samples.min * input.brief.trials,
    runs: { same: same.length, other: other.length },
  };
}

/**
 * Weighs each run of this scenario as much as all other cases together: nine of them leave a tenth to the rest. Half of
 * the rest are runs of other scenarios, which may be unlike this one, and half the typical cases.
 */
function weightedCases(input: ForecastInput): WeightedUse[] {
  const { history, brief, sources, simulated } = input;
  const { same, other } = history;
  const typical = typicalUses(brief, sources, simulated);
  const rest = 1 / (same.length + 1);
  const half = other.length === 0 ? rest : rest / 2;
  return [
    ...same.map((use) => ({ use: scaleToScenario(use, input), weight: rest })),
    ...other.map((use) => ({
      use: { ...scaleToScenario(use, input), perTrial: keepPaidHere(use, typical[0]) },
      weight: half / other.length,
    })),
    ...typical.map((use) => ({ use, weight: half / typical.length })),
  ];
}

/** Scales the usage of another run to the size of this scenario. */
function scaleToScenario(use: RunUse, { brief, sources, simulated }: ForecastInput): RunUse {
  const reading = designSize(sources, use.sources, simulated);
  const samples = (brief.samples.min * use.samples) / Math.max(1, use.samplesMin);
  const writing = samples / Math.max(1, use.samples);
  return {
    ...use,
    ...{ samples, samplesMin: brief.samples.min },
    design: scaleTokens(use.design, reading),
    redesign: scaleTokens(use.redesign, reading),
    build: scaleTokens(use.build, writing),
    repair: scaleTokens(use.repair, writing),
  };
}

/** Keeps only the parties paid here, because another scenario may have had other graders. */
function keepPaidHere(use: RunUse, typical?: RunUse): RunUse['perTrial'] {
  const played = new Map(use.perTrial.map((one) => [one.who, one]));
  return (typical?.perTrial ?? []).map((one) => played.get(one.who) ?? one);
}

/** Computes the remaining cost in dollars by part, if the run goes as in this case. */
function planRemaining({ brief, prices, priceOf, soFar }: ForecastInput, drawn: RunUse): WeightedCost['parts'] {
  const done = soFar ?? { rounds: 0, iterations: 0, use: undefined };
  const use = done.use === undefined ? drawn : withKnownUse(done.use, drawn, done);
  const rounds = Math.max(done.rounds > 0 ? 0 : 1, Math.min(use.rounds, brief.max_rounds) - done.rounds);
  const iterations = Math.max(1, Math.min(use.iterations, brief.max_iterations) - done.iterations);
  const trials = iterations * brief.trials * Math.max(brief.samples.min, use.samples);
  const parts: Record<string, number> = {
    design: priceRepeated(use.design, use.redesign, { many: rounds, already: done.rounds, price: prices['init'] }),
    build: priceRepeated(use.build, use.repair, {
      many: iterations,
      already: done.iterations,
      price: prices['execute'],
    }),
  };
  for (const { who, model, tokens } of use.perTrial) {
    const part = who === 'subject' || who === 'user' ? who : 'graders';
    const price = part === 'graders' ? priceOf(model) : prices[who];
    parts[part] = (parts[part] ?? 0) + trials * priceTokens(tokens, price);
  }
  return parts;
}

type RepeatInput = { many: number; already: number; price: Tokens | undefined };

/** Prices repeated work, whose first unit costs more than the following ones. */
function priceRepeated(one: Tokens, later: Tokens, { many, already, price }: RepeatInput): number {
  const first = already === 0 && many > 0 ? 1 : 0;
  return priceTokens(one, price) * first + priceTokens(later, price) * (many - first);
}

/** Replaces drawn numbers by the run's own where it has them, because they fit better. */
function withKnownUse(
  own: RunUse,
  drawn: RunUse,
  { rounds, iterations }: Pick<SpentSoFar, 'rounds' | 'iterations'>,
): RunUse {
  return {
    ...drawn,
    ...(rounds > 1 ? { redesign: own.redesign } : {}),
    ...(iterations > 0 ? { samples: own.samples, perTrial: own.perTrial } : {}),
    ...(iterations > 1 ? { repair: own.repair } : {}),
  };
}

function priceTokens(tokens: Tokens, price: Tokens | undefined): number {
  return computeUsd(tokens, price ?? NO_TOKENS);
}

function sumParts(parts: WeightedCost['parts'], weight: number): WeightedCost {
  return { parts, usd: Object.values(parts).reduce((sum, part) => sum + part, 0), weight };
}

function spreadCost(one: WeightedCost): WeightedCost[] {
  return SPREAD.map(([factor, weight]) => ({ ...scaleCost(one, one.usd * factor), weight: one.weight * weight }));
}

/** Returns the case at the quantile, or the mean of two neighbours if the share falls exactly between them. */
function findQuantile(all: readonly WeightedCost[], share: number): WeightedCost {
  const sorted = all.toSorted((one, other) => one.usd - other.usd);
  let sum = 0;
  for (const [index, one] of sorted.entries()) {
    sum += one.weight;
    const next = sorted[index + 1];
    if (next === undefined || sum > share + EPSILON) return one;
    if (sum > share - EPSILON) return scaleCost(one, (one.usd + next.usd) / 2);
  }
  return { parts: {}, usd: 0, weight: 1 };
}

function scaleCost(one: WeightedCost, usd: number): WeightedCost {
  const factor = one.usd === 0 ? 1 : usd / one.usd;
  return {
    ...one,
    usd,
    parts: Object.fromEntries(Object.entries(one.parts).map(([name, part]) => [name, part * factor])),
  };
}

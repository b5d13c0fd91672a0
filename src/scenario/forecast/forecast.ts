/** What a run will cost: samples × trials × steps × tokens × prices, and how far earlier runs went. */
import { z } from 'zod';
import { NO_TOKENS, scaleTokens, usdOf, type RunUse, type Tokens } from './run-use.ts';
import { designSize, typicalUses, type ToForecast } from './typical.ts';

/** US dollars. Half of all such runs cost at most `p50`, nine of ten at most `p90`. */
export const Forecast = z.strictObject({
  p50: z.number().nonnegative(),
  p90: z.number().nonnegative(),
  /** What one design and one iteration cost at least: with a smaller cap nothing can come of it. */
  floor: z.number().nonnegative(),
  /** What `p50` is made of: `design`, `build`, `subject`, `user`, `graders`. */
  parts: z.record(z.string(), z.number().nonnegative()),
  /** Trials in one iteration. */
  trials: z.int().nonnegative(),
  /** Ended runs of this scenario, and of others, that it was made from; both 0: typical numbers only. */
  runs: z.strictObject({ same: z.int().nonnegative(), other: z.int().nonnegative() }),
});
export type Forecast = z.infer<typeof Forecast>;

/** `forecast.json` of a run: what was forecast before its first paid call. */
export const StartForecast = Forecast.extend({ version: z.literal(1) });
export type StartForecast = z.infer<typeof StartForecast>;

/** What the run itself has used so far, and how many rounds and iterations of it are behind. */
export type SpentSoFar = { use: RunUse; rounds: number; iterations: number };

export type ForecastInput = {
  brief: ToForecast;
  /** Characters of all that Init may read. */
  sources: number;
  simulated: boolean;
  /** Of each who is paid: `init`, `execute`, `subject`, `user`. Missing: free, or nobody knows. */
  prices: Readonly<Record<string, Tokens | undefined>>;
  /** By the names of models, for whoever else was paid in earlier trials. */
  priceOf: (model: string) => Tokens | undefined;
  history: { same: readonly RunUse[]; other: readonly RunUse[] };
  /** At a gate: only what is still to come is counted. */
  soFar?: SpentSoFar | undefined;
};

/** Weights are sums of fractions. */
const EPSILON = 1e-9;

/**
 * No run costs what another did, not even of the same scenario: each case is spread by a fifth to both sides, `[factor, weight]`.
 * Without it a few equal runs would promise that the next one costs exactly as much.
 */
const SPREAD = [
  [0.83, 0.25],
  [1, 0.5],
  [1.2, 0.25],
] as const;

type Weighted = { use: RunUse; weight: number };
type Costed = { parts: Record<string, number>; usd: number; weight: number };

export function forecast(input: ForecastInput): Forecast {
  const { same, other } = input.history;
  const cases = weightedCases(input);
  const all = cases.flatMap(({ use, weight }) => spread(costed(plan(input, use), weight)));
  const least = cases.map(({ use, weight }) => costed(plan(input, { ...use, rounds: 1, iterations: 1 }), weight));
  const middle = quantile(all, 0.5);
  return {
    p50: middle.usd,
    p90: quantile(all, 0.9).usd,
    floor: quantile(least, 0.1).usd,
    parts: middle.parts,
    trials: input.brief.samples.min * input.brief.trials,
    runs: { same: same.length, other: other.length },
  };
}

/**
 * Each run of this scenario counts as much as all else together: nine of them leave a tenth to the rest. Of the rest, runs
 * of other scenarios say half, because they may be unlike this one, and the typical cases half.
 */
function weightedCases(input: ForecastInput): Weighted[] {
  const { history, brief, sources, simulated } = input;
  const { same, other } = history;
  const typical = typicalUses(brief, sources, simulated);
  const rest = 1 / (same.length + 1);
  const half = other.length === 0 ? rest : rest / 2;
  return [
    ...same.map((use) => ({ use: fitted(use, input), weight: rest })),
    ...other.map((use) => ({
      use: { ...fitted(use, input), perTrial: paidIn(use, typical[0]) },
      weight: half / other.length,
    })),
    ...typical.map((use) => ({ use, weight: half / typical.length })),
  ];
}

/** As large as this scenario would have made it. */
function fitted(use: RunUse, { brief, sources, simulated }: ForecastInput): RunUse {
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

/** Only who is paid here: another scenario may have had other graders. */
function paidIn(use: RunUse, typical?: RunUse): RunUse['perTrial'] {
  const played = new Map(use.perTrial.map((one) => [one.who, one]));
  return (typical?.perTrial ?? []).map((one) => played.get(one.who) ?? one);
}

type Plan = { parts: Record<string, number> };

/** What is still to be done, as this case has it, in dollars by part. */
function plan({ brief, prices, priceOf, soFar }: ForecastInput, drawn: RunUse): Plan {
  const done = soFar ?? { rounds: 0, iterations: 0, use: undefined };
  const use = done.use === undefined ? drawn : knownFrom(done.use, drawn, done);
  const rounds = Math.max(done.rounds > 0 ? 0 : 1, Math.min(use.rounds, brief.max_rounds) - done.rounds);
  const iterations = Math.max(1, Math.min(use.iterations, brief.max_iterations) - done.iterations);
  const trials = iterations * brief.trials * Math.max(brief.samples.min, use.samples);
  const parts: Record<string, number> = {
    design: repeated(use.design, use.redesign, { many: rounds, already: done.rounds, price: prices['init'] }),
    build: repeated(use.build, use.repair, { many: iterations, already: done.iterations, price: prices['execute'] }),
  };
  for (const { who, model, tokens } of use.perTrial) {
    const part = who === 'subject' || who === 'user' ? who : 'graders';
    const price = part === 'graders' ? priceOf(model) : prices[who];
    parts[part] = (parts[part] ?? 0) + trials * priced(tokens, price);
  }
  return { parts };
}

type Repeated = { many: number; already: number; price: Tokens | undefined };

/** The first one costs more than those that follow. */
function repeated(one: Tokens, later: Tokens, { many, already, price }: Repeated): number {
  const first = already === 0 && many > 0 ? 1 : 0;
  return priced(one, price) * first + priced(later, price) * (many - first);
}

/** The run's own numbers are better than anybody else's. */
function knownFrom(
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

function priced(tokens: Tokens, price: Tokens | undefined): number {
  return usdOf(tokens, price ?? NO_TOKENS);
}

function costed({ parts }: Plan, weight: number): Costed {
  return { parts, usd: Object.values(parts).reduce((sum, part) => sum + part, 0), weight };
}

function spread(one: Costed): Costed[] {
  return SPREAD.map(([factor, weight]) => ({ ...scaled(one, one.usd * factor), weight: one.weight * weight }));
}

/** The mean of two neighbours where the share falls exactly between them. */
function quantile(all: readonly Costed[], share: number): Costed {
  const sorted = all.toSorted((one, other) => one.usd - other.usd);
  let sum = 0;
  for (const [index, one] of sorted.entries()) {
    sum += one.weight;
    const next = sorted[index + 1];
    if (next === undefined || sum > share + EPSILON) return one;
    if (sum > share - EPSILON) return scaled(one, (one.usd + next.usd) / 2);
  }
  return { parts: {}, usd: 0, weight: 1 };
}

function scaled(one: Costed, usd: number): Costed {
  const factor = one.usd === 0 ? 1 : usd / one.usd;
  return {
    ...one,
    usd,
    parts: Object.fromEntries(Object.entries(one.parts).map(([name, part]) => [name, part * factor])),
  };
}

/** Typical usage of runs for scenarios without history: one central case, and how far other cases lie from it. */
import type { Brief } from '../brief.ts';
import { chooserModelName } from '../subject.ts';
import { addTokens, scaleTokens, type RunUse, type Tokens, type TrialUse } from './run-use.ts';

type TypicalUse = {
  /** Init: a fixed part, and a part for each character of the sources. */
  design: { fixed: Tokens; perChar: Tokens };
  /** Execute: the usage for each sample with its tools and checkers. */
  perSample: Tokens;
  /** The share of the first round that a later one uses, and the same for iterations. */
  redesign: number;
  repair: number;
  /** One response of a subject, and one of a simulated user. */
  subjectStep: Tokens;
  userStep: Tokens;
  /** `[rounds, iterations, size]`, all equally likely. */
  cases: readonly (readonly [rounds: number, iterations: number, size: number])[];
};

/** Measured on the shipped scenarios, whose scripts write only the minimum. */
const OFFLINE: TypicalUse = {
  design: {
    fixed: { input: 2500, cacheWrite: 1500, cacheRead: 4000, output: 600 },
    perChar: { input: 0, cacheWrite: 1.4, cacheRead: 6.5, output: 0.3 },
  },
  perSample: { input: 0, cacheWrite: 4200, cacheRead: 20_000, output: 2100 },
  redesign: 0.45,
  repair: 0.13,
  subjectStep: { input: 2200, cacheWrite: 0, cacheRead: 0, output: 28 },
  userStep: { input: 700, cacheWrite: 0, cacheRead: 0, output: 15 },
  cases: [
    [1, 1, 0.7],
    [1, 2, 0.8],
    [1, 2, 0.95],
    [1, 2, 1.1],
    [2, 3, 1],
    [2, 3, 1.2],
    [2, 4, 1.4],
    [3, 5, 1.6],
  ],
};

/** An estimate, since no recorded real run is shipped: about three times the scripts, spread wide. */
const REAL: TypicalUse = {
  design: {
    fixed: { input: 5000, cacheWrite: 20_000, cacheRead: 200_000, output: 10_000 },
    perChar: { input: 0, cacheWrite: 1.5, cacheRead: 15, output: 0.6 },
  },
  perSample: { input: 0, cacheWrite: 8000, cacheRead: 120_000, output: 5000 },
  redesign: 0.5,
  repair: 0.35,
  subjectStep: { input: 3500, cacheWrite: 0, cacheRead: 0, output: 200 },
  userStep: { input: 1000, cacheWrite: 0, cacheRead: 0, output: 60 },
  cases: [
    [1, 1, 0.4],
    [1, 2, 0.6],
    [1, 2, 0.8],
    [1, 3, 1],
    [2, 3, 1],
    [2, 3, 1.3],
    [2, 4, 1.6],
    [3, 5, 2],
    [4, 6, 2.5],
  ],
};

export type ForecastBrief = Pick<
  Brief,
  'samples' | 'trials' | 'max_iterations' | 'max_rounds' | 'subject' | 'user' | 'statements'
>;

export function typicalUses(brief: ForecastBrief, sources: number, simulated: boolean): RunUse[] {
  const typical = simulated ? OFFLINE : REAL;
  return typical.cases.map(([rounds, iterations, size]) =>
    estimateUse(brief, sources, { ...typical, rounds, iterations, size, simulated }),
  );
}

type TypicalCase = { rounds: number; iterations: number; size: number; simulated: boolean };

function estimateUse(
  brief: ForecastBrief,
  sources: number,
  { rounds, iterations, size, simulated, ...typical }: TypicalUse & TypicalCase,
): RunUse {
  const { fixed, perChar } = typical.design;
  const whole = (tokens: Tokens, factor: number): Tokens => scaleTokens(tokens, factor * size);
  const first = addTokens(fixed, scaleTokens(perChar, sources));
  const { min } = brief.samples;
  return {
    ...{ sources, samples: min, samplesMin: min, rounds, iterations },
    design: whole(first, 1),
    redesign: whole(first, typical.redesign),
    build: whole(typical.perSample, min),
    repair: whole(typical.perSample, min * typical.repair),
    perTrial: trialUses(brief, { ...typical, size, simulated }),
  };
}

/** Returns how much larger a design from `sources` characters is than one from `of` characters. */
export function designSize(sources: number, of: number, simulated: boolean): number {
  const { fixed, perChar } = (simulated ? OFFLINE : REAL).design;
  const output = (chars: number): number => fixed.output + perChar.output * chars;
  return output(sources) / output(of);
}

/** The request about a trial's statements is as large as so many steps of its user. */
const READ_STEPS = 3;

/** Assumes that an ordinary conversation takes half of the steps that a subject may take. */
function trialUses(
  { subject, user, statements }: ForecastBrief,
  { subjectStep, userStep, size, simulated }: TypicalUse & Pick<TypicalCase, 'size' | 'simulated'>,
): TrialUse[] {
  const steps = Math.ceil(subject.max_steps / 2) * size;
  const isSmallPaid = chooserModelName({ subject, user }, simulated) !== undefined;
  const isUserPaid = user.simulator === 'model' || (user.simulator === 'auto' && isSmallPaid);
  // The statements of a trial are read once, in a request that holds its whole conversation.
  const read = statements === 'off' || !isSmallPaid || (simulated && user.simulator !== 'auto') ? 0 : READ_STEPS * size;
  const userSteps = (isUserPaid ? steps : 0) + read;
  return [
    ...(subject.kind === 'model' ? [{ who: 'subject', model: '', tokens: scaleTokens(subjectStep, steps) }] : []),
    ...(userSteps > 0 ? [{ who: 'user', model: '', tokens: scaleTokens(userStep, userSteps) }] : []),
  ];
}

/** `tandem plan samples`: how many samples a target needs before its lower bound can be trusted. */
import { usageError } from '../../errors.ts';
import { formatPercent } from '../../scenario/percent.ts';
import {
  chanceToProve,
  MOST_SAMPLES,
  passesNeeded,
  samplesForChance,
  samplesNeeded,
} from '../../scenario/statistics/plan-samples.ts';
import type { JsonFlag, TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { parseWholeNumber } from '../parse-numbers.ts';

export type SamplePlanOptions = TextFlags<'samples' | 'rate'> & JsonFlag & { target: string; chance: string };

const FAILURES = [0, 1, 2, 3, 5, 8, 12, 18, 27];

export function planSamplesCommand(options: SamplePlanOptions, io: Io): number {
  const target = parseFraction(options.target, '--target');
  const chance = parseFraction(options.chance, '--chance');
  const samples =
    options.samples === undefined ? undefined : parseWholeNumber('--samples', options.samples, { most: MOST_SAMPLES });
  const rate = options.rate === undefined ? undefined : parseFraction(options.rate, '--rate');
  const plan = {
    target,
    needed: samplesNeeded(target, FAILURES),
    ...(samples === undefined ? {} : { samples, passes: passesNeeded(target, samples) ?? null }),
    ...(rate === undefined ? {} : { rate, chance, samplesForChance: samplesForChance(target, rate, chance) ?? null }),
    ...(rate === undefined || samples === undefined ? {} : { chanceToProve: chanceToProve(target, rate, samples) }),
  };
  if (options.json === true) io.out(JSON.stringify(plan));
  else for (const line of planLines(plan)) io.out(line);
  return EXIT.met;
}

type SamplePlan = {
  target: number;
  needed: readonly { failures: number; samples: number; passes: number }[];
  samples?: number;
  passes?: number | null;
  rate?: number;
  chance?: number;
  samplesForChance?: number | null;
  chanceToProve?: number;
};

function planLines(plan: SamplePlan): string[] {
  const { target, needed, samples, passes, rate, chance } = plan;
  const lines = [
    `The lower bound of the 95 % interval (Wilson) reaches ${formatPercent(target)} with at least:`,
    ...needed.map((one) => `  ${one.passes} of ${one.samples} passed (${one.failures} failed)`),
  ];
  if (samples !== undefined) {
    lines.push(
      passes === null
        ? `${samples} samples are too few: not even ${samples} of ${samples} would do.`
        : `Of ${samples} samples, ${passes} must pass.`,
    );
  }
  if (rate !== undefined && chance !== undefined) {
    lines.push(
      plan.samplesForChance === null
        ? `A subject that passes ${formatPercent(rate)} proves ${formatPercent(target)} with a chance of ${formatPercent(chance)} on no number of samples up to ${MOST_SAMPLES}.`
        : `A subject that passes ${formatPercent(rate)} proves it with a chance of ${formatPercent(chance)} on ${plan.samplesForChance} samples or more.`,
    );
  }
  if (plan.chanceToProve !== undefined)
    lines.push(`On ${samples} samples its chance is ${formatPercent(plan.chanceToProve)}.`);
  return lines;
}

function parseFraction(text: string, option: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value < 1) return value;
  throw usageError(`${option} "${text}": expected a share between 0 and 1, such as 0.85.`);
}

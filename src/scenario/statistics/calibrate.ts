/** Calibrates a grader: compares its verdicts with people's labels, and corrects its pass rate accordingly. */
import { assignLabelPart, type AgreedLabel } from '../label.ts';
import { formatPercent } from '../percent.ts';

/** A conversation that this version of the grader judged, under the name of its trial. */
export type JudgedConversation = { name: string; sample: string; conversation: string; pass: boolean };

export type Calibration = JudgeRates & {
  /** The number of labels of each class in the test part. */
  passes: number;
  fails: number;
  /** Labels outside of the test part, or for conversations that only another version of the grader has judged. */
  unused: { train: number; dev: number; otherVersion: number };
  /** The reason why the grader may not decide; undefined when it may. */
  why: string | undefined;
  passed: number;
  judged: number;
  corrected: CorrectedRate | undefined;
  /** Trials without a label whose labels would narrow the interval most. */
  next: string[];
};

const NEXT = 10;

/** Calibrates version `key` of the grader. A shared conversation is one label, but a verdict in each trial. */
export function calibrate(
  labels: readonly AgreedLabel[],
  key: string,
  judged: readonly JudgedConversation[] = [],
): Calibration {
  const now = new Map(judged.map(({ conversation, pass }) => [conversation, pass]));
  const verdictOn = ({ conversation, judged: earlier }: AgreedLabel): boolean | undefined =>
    now.get(conversation) ?? earlier.findLast((one) => one?.key === key)?.pass;
  const inPart = (part: string) => labels.filter(({ conversation }) => assignLabelPart(conversation) === part);
  const known = inPart('test').flatMap((label) => {
    const pass = verdictOn(label);
    return pass === undefined ? [] : [{ people: label.verdict === 'pass', pass }];
  });
  const count = (people: boolean, pass: boolean): number =>
    known.filter((one) => one.people === people && one.pass === pass).length;
  const table: ConfusionMatrix = {
    truePass: count(true, true),
    falseFail: count(true, false),
    falsePass: count(false, true),
    trueFail: count(false, false),
  };
  const totals = { passed: judged.filter(({ pass }) => pass).length, n: judged.length };
  return {
    ...judgeRates(table),
    passes: table.truePass + table.falseFail,
    fails: table.trueFail + table.falsePass,
    unused: {
      train: inPart('train').length,
      dev: inPart('dev').length,
      otherVersion: inPart('test').length - known.length,
    },
    why: explainUncalibrated(table),
    passed: totals.passed,
    judged: totals.n,
    corrected: correctedRate(totals, table),
    next: rankUnlabelled(judged, new Set(labels.map(({ conversation }) => conversation)), (pass) =>
      estimateLabelValue(pass, totals, table),
    ),
  };
}

/** Ranks unlabelled test conversations, each once; among equal ones, those of samples not yet listed come first. */
function rankUnlabelled(
  judged: readonly JudgedConversation[],
  labelled: ReadonlySet<string>,
  worth: (pass: boolean) => number,
): string[] {
  const open = [...new Map(judged.map((one) => [one.conversation, one])).values()].filter(
    ({ conversation }) => assignLabelPart(conversation) === 'test' && !labelled.has(conversation),
  );
  const seen = new Map<string, number>();
  return open
    .map((one) => {
      const nth = seen.get(one.sample) ?? 0;
      seen.set(one.sample, nth + 1);
      return { ...one, nth, value: worth(one.pass) };
    })
    .toSorted((a, b) => b.value - a.value || a.nth - b.nth || (a.conversation < b.conversation ? -1 : 1))
    .slice(0, NEXT)
    .map(({ name }) => name);
}

/** The confusion matrix of the judge on labelled conversations. */
type ConfusionMatrix = {
  /** The judge passes a conversation that people pass. */
  truePass: number;
  /** The judge fails a conversation that people pass. */
  falseFail: number;
  /** The judge passes a conversation that people fail. */
  falsePass: number;
  /** The judge fails a conversation that people fail. */
  trueFail: number;
};

/** The number `n` of conversations that the judge saw, and how many of them it passed. */
type JudgedCounts = { passed: number; n: number };

type JudgeRates = {
  /** P(judge passes | people pass) and P(judge fails | people fail); undefined without a label of that class. */
  sensitivity: number | undefined;
  specificity: number | undefined;
  /** Cohen's kappa: agreement beyond chance. */
  kappa: number | undefined;
  n: number;
};

export function judgeRates({ truePass, falseFail, falsePass, trueFail }: ConfusionMatrix): JudgeRates {
  const n = truePass + falseFail + falsePass + trueFail;
  const chance =
    ((truePass + falseFail) * (truePass + falsePass) + (trueFail + falsePass) * (trueFail + falseFail)) / (n * n);
  return {
    sensitivity: divideIfAny(truePass, truePass + falseFail),
    specificity: divideIfAny(trueFail, trueFail + falsePass),
    kappa: n === 0 || chance === 1 ? undefined : ((truePass + trueFail) / n - chance) / (1 - chance),
    n,
  };
}

/** The labels needed of each class, and the rates needed, before a judge is trusted. */
const LABELS_NEEDED = 20;
const RATE_NEEDED = 0.9;

/** Explains why the judge may not decide; undefined when it may. */
export function explainUncalibrated(table: ConfusionMatrix): string | undefined {
  const passes = table.truePass + table.falseFail;
  const fails = table.trueFail + table.falsePass;
  if (Math.min(passes, fails) < LABELS_NEEDED)
    return `people have labelled ${passes} pass and ${fails} fail, and ${LABELS_NEEDED} of each are needed`;
  const { sensitivity = 0, specificity = 0 } = judgeRates(table);
  if (Math.min(sensitivity, specificity) >= RATE_NEEDED) return undefined;
  return `it passes ${formatPercent(sensitivity)} of what people pass and fails ${formatPercent(specificity)} of what people fail, and ${formatPercent(RATE_NEEDED)} of both are needed`;
}

type CorrectedRate = { value: number; interval: [number, number] };

const Z = 1.959_963_984_540_054;

/**
 * Rogan and Gladen's rate with Fieller's interval, which holds every rate that the counts do not contradict. Unlike a
 * normal interval it stays right for a judge hardly better than chance, where it says that nothing is known.
 * Undefined where the labels cannot tell the judge from chance at all.
 */
export function correctedRate(judged: JudgedCounts, table: ConfusionMatrix): CorrectedRate | undefined {
  const { p, q0, q1 } = smoothRates(judged, table);
  const discrimination = q0.rate + q1.rate - 1;
  if (judged.n === 0 || discrimination <= 0) return undefined;
  const value = clampRate((p.rate + q0.rate - 1) / discrimination);
  return { value, interval: computeFieller({ p, q0, q1 }) };
}

type SmoothedRate = { rate: number; variance: number };
type SmoothedRates = { p: SmoothedRate; q0: SmoothedRate; q1: SmoothedRate };

function smoothRates({ passed, n }: JudgedCounts, table: ConfusionMatrix): SmoothedRates {
  return {
    p: smoothRate(passed, n, (Z * Z) / 2),
    q0: smoothRate(table.trueFail, table.trueFail + table.falsePass, 1),
    q1: smoothRate(table.truePass, table.truePass + table.falseFail, 1),
  };
}

/** Adds `extra` hits and as many misses, so that counts without a miss are not taken for certain. */
function smoothRate(hits: number, total: number, extra: number): SmoothedRate {
  const size = total + 2 * extra;
  const rate = (hits + extra) / size;
  return { rate, variance: (rate * (1 - rate)) / size };
}

/**
 * Finds the rates t in [0, 1] for which p - t*q1 - (1-t)*(1-q0) is within z deviations of 0, which is quadratic in t.
 * If its solutions are two separate pieces, the interval between their outer ends is returned.
 */
function computeFieller({ p, q0, q1 }: SmoothedRates): [number, number] {
  const [shift, slope] = [p.rate + q0.rate - 1, q0.rate + q1.rate - 1];
  const a = slope ** 2 - Z * Z * (q0.variance + q1.variance);
  const b = -2 * shift * slope + 2 * Z * Z * q0.variance;
  const c = shift ** 2 - Z * Z * (p.variance + q0.variance);
  const inside = b * b - 4 * a * c;
  if (a <= 0 || inside < 0) return [0, 1];
  const root = Math.sqrt(inside);
  return [clampRate((-b - root) / (2 * a)), clampRate((-b + root) / (2 * a))];
}

/**
 * Estimates how much one more label would reduce the variance of the corrected rate. The label is not known, so both
 * answers are weighted by their probability after the judge's verdict.
 */
export function estimateLabelValue(pass: boolean, judged: JudgedCounts, table: ConfusionMatrix): number {
  const { p, q0, q1 } = smoothRates(judged, table);
  const discrimination = Math.max(q0.rate + q1.rate - 1, 0.05);
  const rate = clampRate((p.rate + q0.rate - 1) / discrimination);
  const likely = pass ? rate * q1.rate : rate * (1 - q1.rate);
  const other = pass ? (1 - rate) * (1 - q0.rate) : (1 - rate) * q0.rate;
  const isPass = likely / Math.max(likely + other, 1e-9);
  const [passes, fails] = [table.truePass + table.falseFail, table.trueFail + table.falsePass];
  const gain = (weight: number, { variance }: SmoothedRate, labels: number) => (weight ** 2 * variance) / (labels + 3);
  return (isPass * gain(rate, q1, passes) + (1 - isPass) * gain(1 - rate, q0, fails)) / discrimination ** 2;
}

function divideIfAny(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

function clampRate(value: number): number {
  return Math.min(1, Math.max(0, value));
}

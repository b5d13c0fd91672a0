/** How far a grader judges as people do: its verdicts against their labels, and the rate that follows. */
import { partOf, type AgreedLabel } from '../label.ts';
import { percent } from '../percent.ts';

/** One conversation that the grader judged in this version, by the name of its trial. */
export type JudgedConversation = { name: string; sample: string; conversation: string; pass: boolean };

export type Calibration = JudgeRates & {
  /** Labels of the test part of each class. */
  passes: number;
  fails: number;
  /** Labels that are no part of it: for examples and for tuning, or given for another version of the grader. */
  unused: { train: number; dev: number; otherVersion: number };
  /** Why it may not decide; undefined when it may. */
  why: string | undefined;
  passed: number;
  judged: number;
  corrected: CorrectedRate | undefined;
  /** Trials without a label whose labels would narrow the interval most. */
  next: string[];
};

const NEXT = 10;

/** `key` is the version of the grader. A conversation that several trials share counts once as a label, and in each trial as a verdict. */
export function calibrate(
  labels: readonly AgreedLabel[],
  key: string,
  judged: readonly JudgedConversation[] = [],
): Calibration {
  const now = new Map(judged.map(({ conversation, pass }) => [conversation, pass]));
  const verdictOn = ({ conversation, judged: earlier }: AgreedLabel): boolean | undefined =>
    now.get(conversation) ?? earlier.findLast((one) => one?.key === key)?.pass;
  const inPart = (part: string) => labels.filter(({ conversation }) => partOf(conversation) === part);
  const known = inPart('test').flatMap((label) => {
    const pass = verdictOn(label);
    return pass === undefined ? [] : [{ people: label.verdict === 'pass', pass }];
  });
  const count = (people: boolean, pass: boolean): number =>
    known.filter((one) => one.people === people && one.pass === pass).length;
  const table: JudgeTable = {
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
    why: uncalibrated(table),
    passed: totals.passed,
    judged: totals.n,
    corrected: correctedRate(totals, table),
    next: mostInformative(judged, new Set(labels.map(({ conversation }) => conversation)), (pass) =>
      worthOfLabel(pass, totals, table),
    ),
  };
}

/** Of the test part, each conversation once; of two with the same value the one whose sample comes first; no conversation comes twice. */
function mostInformative(
  judged: readonly JudgedConversation[],
  labelled: ReadonlySet<string>,
  worth: (pass: boolean) => number,
): string[] {
  const open = [...new Map(judged.map((one) => [one.conversation, one])).values()].filter(
    ({ conversation }) => partOf(conversation) === 'test' && !labelled.has(conversation),
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

/** Labelled conversations: what people say, and what the judge says. */
type JudgeTable = {
  /** People pass, and so does the judge. */
  truePass: number;
  /** People pass, the judge fails. */
  falseFail: number;
  /** People fail, the judge passes. */
  falsePass: number;
  /** Both fail. */
  trueFail: number;
};

/** `n` conversations that the judge saw, of which it passed `passed`. */
type Judged = { passed: number; n: number };

type JudgeRates = {
  /** P(judge passes | people pass) and P(judge fails | people fail); undefined without a label of that class. */
  sensitivity: number | undefined;
  specificity: number | undefined;
  /** Cohen's kappa: agreement beyond chance. */
  kappa: number | undefined;
  n: number;
};

export function judgeRates({ truePass, falseFail, falsePass, trueFail }: JudgeTable): JudgeRates {
  const n = truePass + falseFail + falsePass + trueFail;
  const chance =
    ((truePass + falseFail) * (truePass + falsePass) + (trueFail + falsePass) * (trueFail + falseFail)) / (n * n);
  return {
    sensitivity: share(truePass, truePass + falseFail),
    specificity: share(trueFail, trueFail + falsePass),
    kappa: n === 0 || chance === 1 ? undefined : ((truePass + trueFail) / n - chance) / (1 - chance),
    n,
  };
}

/** How many labels of each class must be there, and which rates, before a judge is believed. */
const LABELS_NEEDED = 20;
const RATE_NEEDED = 0.9;

/** Undefined when the judge may decide, else why not. */
export function uncalibrated(table: JudgeTable): string | undefined {
  const passes = table.truePass + table.falseFail;
  const fails = table.trueFail + table.falsePass;
  if (Math.min(passes, fails) < LABELS_NEEDED)
    return `people have labelled ${passes} pass and ${fails} fail, and ${LABELS_NEEDED} of each are needed`;
  const { sensitivity = 0, specificity = 0 } = judgeRates(table);
  if (Math.min(sensitivity, specificity) >= RATE_NEEDED) return undefined;
  return `it passes ${percent(sensitivity)} of what people pass and fails ${percent(specificity)} of what people fail, and ${percent(RATE_NEEDED)} of both are needed`;
}

type CorrectedRate = { value: number; interval: [number, number] };

const Z = 1.959_963_984_540_054;

/**
 * Rogan and Gladen's rate, and Fieller's interval around it: every rate that the counts do not contradict. Unlike a normal
 * interval it stays right where the two rates of the judge hardly differ from chance; there it says that nothing is known.
 * Undefined where the labels cannot tell the judge from chance at all.
 */
export function correctedRate(judged: Judged, table: JudgeTable): CorrectedRate | undefined {
  const { p, q0, q1 } = smoothed(judged, table);
  const discrimination = q0.rate + q1.rate - 1;
  if (judged.n === 0 || discrimination <= 0) return undefined;
  const value = clamp((p.rate + q0.rate - 1) / discrimination);
  return { value, interval: fieller({ p, q0, q1 }) };
}

type Estimate = { rate: number; variance: number };
type Estimates = { p: Estimate; q0: Estimate; q1: Estimate };

function smoothed({ passed, n }: Judged, table: JudgeTable): Estimates {
  return {
    p: estimate(passed, n, (Z * Z) / 2),
    q0: estimate(table.trueFail, table.trueFail + table.falsePass, 1),
    q1: estimate(table.truePass, table.truePass + table.falseFail, 1),
  };
}

/** With `extra` hits and as many misses more, so that counts without a miss are not taken for certain. */
function estimate(hits: number, total: number, extra: number): Estimate {
  const size = total + 2 * extra;
  const rate = (hits + extra) / size;
  return { rate, variance: (rate * (1 - rate)) / size };
}

/**
 * The rates t in [0, 1] for which p - t*q1 - (1-t)*(1-q0) is within z deviations of 0. That is a quadratic inequality in t;
 * where its solutions are two pieces, all between their outer ends counts.
 */
function fieller({ p, q0, q1 }: Estimates): [number, number] {
  const [shift, slope] = [p.rate + q0.rate - 1, q0.rate + q1.rate - 1];
  const a = slope ** 2 - Z * Z * (q0.variance + q1.variance);
  const b = -2 * shift * slope + 2 * Z * Z * q0.variance;
  const c = shift ** 2 - Z * Z * (p.variance + q0.variance);
  const inside = b * b - 4 * a * c;
  if (a <= 0 || inside < 0) return [0, 1];
  const root = Math.sqrt(inside);
  return [clamp((-b - root) / (2 * a)), clamp((-b + root) / (2 * a))];
}

/**
 * How much one more label of a conversation is expected to take off the variance of the corrected rate. What people will say
 * is not known, so both answers are weighed by how likely they are after the judge's verdict.
 */
export function worthOfLabel(pass: boolean, judged: Judged, table: JudgeTable): number {
  const { p, q0, q1 } = smoothed(judged, table);
  const discrimination = Math.max(q0.rate + q1.rate - 1, 0.05);
  const rate = clamp((p.rate + q0.rate - 1) / discrimination);
  const likely = pass ? rate * q1.rate : rate * (1 - q1.rate);
  const other = pass ? (1 - rate) * (1 - q0.rate) : (1 - rate) * q0.rate;
  const isPass = likely / Math.max(likely + other, 1e-9);
  const [passes, fails] = [table.truePass + table.falseFail, table.trueFail + table.falsePass];
  const gain = (weight: number, { variance }: Estimate, labels: number) => (weight ** 2 * variance) / (labels + 3);
  return (isPass * gain(rate, q1, passes) + (1 - isPass) * gain(1 - rate, q0, fails)) / discrimination ** 2;
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** `results.json` of an iteration: the score, every sample's verdicts, and which layer each failure comes from. */
import { z } from 'zod';
import { CaseCoverage } from './cases/case-coverage.ts';
import { GradedBy, GraderProof, GraderReport } from './grader.ts';
import { GivenNumbers, MetricReport } from './metric.ts';
import { ProofStrength } from './proof-strength.ts';

/** 1 design (Init, needs HITL-1) · 2 tools · 3 checkers · 4 samples and the subject itself (S0.24). */
export const Layer = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]);
export type Layer = z.infer<typeof Layer>;

/** Layer 4 in two: 4a the sample (its user, its expectation, its wording), which Execute repairs; 4b the subject, which nobody does. */
export const Cause = z.enum(['1', '2', '3', '4a', '4b']);
export type Cause = z.infer<typeof Cause>;

/** How many samples failed by layer. `4` is 4a and 4b together; older results, and imported ones, do not say which. */
export const LayerCounts = z.strictObject({
  '1': z.int(),
  '2': z.int(),
  '3': z.int(),
  '4': z.int(),
  '4a': z.int().optional(),
  '4b': z.int().optional(),
});
export type LayerCounts = z.infer<typeof LayerCounts>;

export const NO_FAILURES: LayerCounts = { '1': 0, '2': 0, '3': 0, '4': 0, '4a': 0, '4b': 0 };

/** Something verify-components found without a model. `layer` says whose it is. */
export const Problem = z.strictObject({
  layer: Layer,
  /** Stable, kebab-case: `gold-fails`, `null-passes`, `rule-uncovered`, `schema`, `nondeterministic`, … */
  code: z.string(),
  component: z.string(),
  sample: z.string().optional(),
  message: z.string(),
});
export type Problem = z.infer<typeof Problem>;

/** A rule that asks for consent: whether a sample proves that its checkers listen, and how that was seen. */
export const WordsProof = z.strictObject({ rule: z.string(), proven: z.boolean(), why: z.string() });
export type WordsProof = z.infer<typeof WordsProof>;

export const Verification = z.strictObject({
  ok: z.boolean(),
  problems: z.array(Problem),
  /** Doubts, which stop nothing; they count as evidence when a sample fails. */
  remarks: z.array(Problem).optional(),
  /** Per sample: did gold pass, did the do-nothing agent fail, did the wrong path fail, did the mutants fail. */
  proofs: z.array(
    z.strictObject({
      sample: z.string(),
      gold: z.boolean(),
      nothing: z.boolean(),
      wrong: z.boolean(),
      mutants: z.boolean(),
    }),
  ),
  /** The rules about consent; missing where there are none, and in older results. */
  words: z.array(WordsProof).optional(),
  /** Rule id -> the samples and checkers that cover it. */
  coverage: z.record(
    z.string(),
    z.strictObject({
      samples: z.array(z.string()),
      checkers: z.array(z.string()),
      graders: z.array(z.string()).optional(),
    }),
  ),
  /** What of the design's cases the samples reach; only where it has cases, and missing in older files. */
  cases: CaseCoverage.optional(),
  /** How much the proofs would notice; only where everything proved itself, and missing in older files. */
  strength: ProofStrength.optional(),
  /** How each grader judged answers whose verdict is known; missing where none is listed, or no model was there to ask. */
  graders: z.array(GraderProof).optional(),
});
export type Verification = z.infer<typeof Verification>;

export const Verdict = z.strictObject({
  /** A checker's id, or `expect` for the sample's own expectation. */
  checker: z.string(),
  pass: z.boolean(),
  reason: z.string(),
  evidence: z.array(z.string()),
  /** Set when the checker itself failed: it threw, timed out or answered nonsense. */
  broken: z.boolean().optional(),
  ...GivenNumbers,
  /** Set where a model gave it: the checker is a grader. */
  grader: GradedBy.optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/** False for a grader that is shown and not counted. */
export function isDecisive({ grader }: Verdict): boolean {
  return grader?.counts !== false;
}

/** A place where the end differs from the accepted one; a missing side has no value there. */
export const StateDifference = z.strictObject({
  path: z.string(),
  expected: z.unknown().optional(),
  got: z.unknown().optional(),
});
export type StateDifference = z.infer<typeof StateDifference>;

/** Where a trial was decided: the line of its trace, and its text. */
export const DecidingMoment = z.strictObject({
  step: z.int().nonnegative(),
  line: z.int().positive(),
  quote: z.string(),
});
export type DecidingMoment = z.infer<typeof DecidingMoment>;

const Outcome = z.enum(['pass', 'fail', 'unscored']);
export type Outcome = z.infer<typeof Outcome>;

export const TrialResult = z.strictObject({
  trial: z.int().positive(),
  /** `unscored` is a failure of the infrastructure and counts in no rate. */
  outcome: Outcome,
  stop: z.string(),
  verdicts: z.array(Verdict),
  /** Path of the trace, relative to the iteration's folder. */
  trace: z.string(),
  /** The first tool failure that the subject could not have caused, if any. */
  toolFault: z.string().optional(),
  /** What the subject asked when its user had no answer and the conversation ended (`user_silent`). */
  unanswered: z.string().optional(),
  /** Acts of the scripted user that never happened, by their `when`. */
  unusedActs: z.array(z.string()).optional(),
  /** What this trial shows to be the fault of the sample: too few steps, a user that misleads, words that are too narrow. */
  sampleFault: z.string().optional(),
  /** Its checkers refuse nothing but a spelling; or, next, nothing but words, which a reader has to compare with gold's. */
  spelling: z.string().optional(),
  wording: z.string().optional(),
  /** Only on failures. */
  stateDiff: z.array(StateDifference).optional(),
  deciding: DecidingMoment.optional(),
  costUsd: z.number(),
  durationMs: z.number(),
});
export type TrialResult = z.infer<typeof TrialResult>;

/** What Execute says about a failure after reading its traces; it never changes `cause`, which is the evidence's. */
export const Claim = z.strictObject({ cause: Cause, component: z.string().optional(), why: z.string() });
export type Claim = z.infer<typeof Claim>;

/**
 * The words and calls of the iteration before, on the components of this one: only where these changed. `alike`: every call
 * answers as it did, and the setting is the same, so that another outcome now is the subject's. `answered`: it failed because
 * its user had no answer, and has one now.
 */
const EarlierPlay = z.strictObject({ outcome: Outcome, alike: z.boolean(), answered: z.literal(true).optional() });

export const SampleResult = z.strictObject({
  id: z.string(),
  title: z.string(),
  category: z.string(),
  covers: z.array(z.string()),
  outcome: Outcome,
  trials: z.array(TrialResult),
  /** Only on failures: the layer by evidence, and the evidence, strongest first. */
  layer: Layer.optional(),
  cause: Cause.optional(),
  claim: Claim.optional(),
  /** Files of components that decide the outcome: the sample, its world, its checkers, and the tools that were called. */
  uses: z.array(z.string()).optional(),
  /** sha256 of all that subject and user met before the first call: prompt, tools, start world, user, limits. */
  setting: z.string().optional(),
  earlier: EarlierPlay.optional(),
  why: z.array(z.string()),
});
export type SampleResult = z.infer<typeof SampleResult>;

const Tally = z.record(z.string(), z.strictObject({ passed: z.int(), total: z.int() }));

export const Results = z.strictObject({
  version: z.literal(1),
  iteration: z.int().positive(),
  round: z.int().positive(),
  /** Results of another design are refused, not mixed. */
  designDigest: z.string(),
  componentsDigest: z.string(),
  /** The sha256 of each file of the components, by its path in the folder. */
  components: z.record(z.string(), z.string()).optional(),
  /** What Execute said about the iteration when it handed it in, and when it closed it. */
  notes: z.array(z.string()).optional(),
  target: z.number(),
  successRate: z.number(),
  passed: z.int(),
  total: z.int(),
  unscored: z.int(),
  /** Wilson 95 % interval of the success rate. */
  interval: z.tuple([z.number(), z.number()]),
  /** Share of samples that passed all their trials. */
  passAll: z.number(),
  /** Mean share of passed trials per sample, and the share of samples whose trials disagree. */
  passAtOne: z.number().optional(),
  flipRate: z.number().optional(),
  layers: LayerCounts,
  byCategory: Tally,
  byRule: Tally,
  samples: z.array(SampleResult),
  verification: Verification,
  /** What graders said, and how far people confirm it; missing without graders. */
  graders: z.array(GraderReport).optional(),
  /** The numbers that checkers and graders gave; missing where there is none. */
  metrics: z.array(MetricReport).optional(),
  /** Trials that were judged again in fresh hosts, and how many differences there were; each is a remark of `verification`. */
  judgedAgain: z.strictObject({ trials: z.int(), differences: z.int() }).optional(),
  /** How generated code was confined: `bubblewrap`, `node-permission`, … */
  sandbox: z.string(),
  /** What the sandbox does not stop, in words; missing in older results. */
  sandboxGaps: z.array(z.string()).optional(),
  simulated: z.boolean(),
  costUsd: z.number(),
});
export type Results = z.infer<typeof Results>;

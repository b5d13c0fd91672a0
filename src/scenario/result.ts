/** The shape of an iteration's `results.json`: the score, each sample's verdicts, and the layer of each failure. */
import { z } from 'zod';
import { CaseCoverage } from './cases/case-coverage.ts';
import { GradedBy, GraderProof, GraderReport, UserVersion } from './grader.ts';
import { GivenNumbers, MetricReport } from './metric.ts';
import { ProofStrength, UnprovenRule, WordsProof } from './proof-strength.ts';

/** The layer of a failure: 1 design (Init, needs HITL-1) · 2 tools · 3 checkers · 4 samples and subject (S0.24). */
export const Layer = z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]);
export type Layer = z.infer<typeof Layer>;

/** Layer 4 in two: 4a the sample (user, expectation, wording), which Execute repairs; 4b the subject, left as it is. */
export const Cause = z.enum(['1', '2', '3', '4a', '4b']);
export type Cause = z.infer<typeof Cause>;

/** Failed samples by layer. `4` is the sum of 4a and 4b, which older and imported results do not tell apart. */
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

/** A problem that verify-components found without a model; `layer` says which layer owns it. */
export const Problem = z.strictObject({
  layer: Layer,
  /** The problem's code, stable and in kebab-case: `gold-fails`, `null-passes`, `rule-uncovered`, `schema`, … */
  code: z.string(),
  component: z.string(),
  sample: z.string().optional(),
  message: z.string(),
});
export type Problem = z.infer<typeof Problem>;

/** The judges of a rule; none means nobody. `reads`: whether the table reads all that the rule demands, or a part. */
export const JudgedRule = z.strictObject({
  by: z.array(z.enum(['table', 'checker', 'grader'])),
  reads: z.enum(['whole', 'part']),
});
export type JudgedRule = z.infer<typeof JudgedRule>;

export const Verification = z.strictObject({
  ok: z.boolean(),
  problems: z.array(Problem),
  /** Doubts that block nothing; they count as evidence when a sample fails. */
  remarks: z.array(Problem).optional(),
  /** Results by sample: gold passed, and doing nothing, the wrong path and the mutants failed. */
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
  /** The samples and checkers that cover each rule, by rule id. */
  coverage: z.record(
    z.string(),
    z.strictObject({
      samples: z.array(z.string()),
      checkers: z.array(z.string()),
      graders: z.array(z.string()).optional(),
    }),
  ),
  /** The judges of each rule, by rule id; missing where the design reads no outcome, and in older files. */
  judges: z.record(z.string(), JudgedRule).optional(),
  /** The coverage of the design's cases by samples; missing without cases, and in older files. */
  cases: CaseCoverage.optional(),
  /** The strength of the proofs; missing where a component did not prove itself, and in older files. */
  strength: ProofStrength.optional(),
  /** Each grader's verdicts on answers with a known verdict; missing without graders, or without a model to ask. */
  graders: z.array(GraderProof).optional(),
});
export type Verification = z.infer<typeof Verification>;

export const Verdict = z.strictObject({
  /** A checker's id, or `expect` for the sample's own expectation. */
  checker: z.string(),
  pass: z.boolean(),
  reason: z.string(),
  evidence: z.array(z.string()),
  /** Set when the checker itself failed: it threw an error, timed out or gave an invalid answer. */
  broken: z.boolean().optional(),
  ...GivenNumbers,
  /** Set when a model gave the verdict, so that the checker is a grader. */
  grader: GradedBy.optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/** Returns false for a grader whose verdict is shown but not counted. */
export function isDecisive({ grader }: Verdict): boolean {
  return grader?.counts !== false;
}

/** A place where the end differs from the accepted one; a missing side means that there is no value. */
export const StateDifference = z.strictObject({
  path: z.string(),
  expected: z.unknown().optional(),
  got: z.unknown().optional(),
});
export type StateDifference = z.infer<typeof StateDifference>;

/** The line of the trace that decided a trial, with its text. */
export const DecidingMoment = z.strictObject({
  step: z.int().nonnegative(),
  line: z.int().positive(),
  quote: z.string(),
});
export type DecidingMoment = z.infer<typeof DecidingMoment>;

const Outcome = z.enum(['pass', 'fail', 'unscored']);
export type Outcome = z.infer<typeof Outcome>;

/** A reason to doubt a trial's verdict: it stays as it is, is shown, and counts in the rate for neither side. */
export const Dispute = z.strictObject({
  /** The second voice: what the subject stated, the approved table, or a reading of the same trace. */
  by: z.enum(['statement', 'table', 'cause']),
  rule: z.string().optional(),
  /** One sentence for people with both sides: what was said or demanded, and what happened. */
  text: z.string(),
  /** The line of the trace that shows it. */
  line: z.int().positive().optional(),
});
export type Dispute = z.infer<typeof Dispute>;

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
  /** The subject's question at which the conversation ended, because its user had no answer (`user_silent`, `no_move`). */
  unanswered: z.string().optional(),
  /** Set when no model has read the subject's statements, so that code alone has. */
  statementsUnread: z.literal(true).optional(),
  /** The acts of the scripted user that never happened, by their `when`. */
  unusedActs: z.array(z.string()).optional(),
  /** The fault of the sample that this trial shows: too few steps, a misleading user, or too narrow a wording. */
  sampleFault: z.string().optional(),
  /** Set when its checkers refuse only a spelling; `wording`: only words, to be compared with gold's by a reader. */
  spelling: z.string().optional(),
  wording: z.string().optional(),
  /** The differences of the end, set only on failures. */
  stateDiff: z.array(StateDifference).optional(),
  deciding: DecidingMoment.optional(),
  /** The doubts about the verdict; missing where there are none, and in older results. */
  disputed: z.array(Dispute).min(1).optional(),
  /** The versions of user and reader of statements, where the trial has others than its iteration. */
  judgedBy: z.record(z.string(), z.string()).optional(),
  costUsd: z.number(),
  durationMs: z.number(),
});
export type TrialResult = z.infer<typeof TrialResult>;

/** Execute's account of a failure after reading its traces; it never changes `cause`, which follows the evidence. */
export const Claim = z.strictObject({ cause: Cause, component: z.string().optional(), why: z.string() });
export type Claim = z.infer<typeof Claim>;

/**
 * A replay of the earlier iteration's words and calls on changed components. `alike`: every call gives the same answer
 * in the same setting, so a different outcome is due to the subject. `answered`: it failed because its user had no
 * answer, and has one now.
 */
const EarlierPlay = z.strictObject({ outcome: Outcome, alike: z.boolean(), answered: z.literal(true).optional() });

export const SampleResult = z.strictObject({
  id: z.string(),
  title: z.string(),
  category: z.string(),
  covers: z.array(z.string()),
  outcome: Outcome,
  trials: z.array(TrialResult),
  /** The layer by evidence, and the evidence with the strongest first; only on failures. */
  layer: Layer.optional(),
  cause: Cause.optional(),
  claim: Claim.optional(),
  /** Component files that decide the outcome: the sample, its world, its checkers, and the called tools. */
  uses: z.array(z.string()).optional(),
  /** The sha256 of everything before the first call: prompt, tools, start world, user, limits. */
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
  /** The design of the results; those of another design are refused and never mixed. */
  designDigest: z.string(),
  componentsDigest: z.string(),
  /** The sha256 of each component file, by its path in the folder. */
  components: z.record(z.string(), z.string()).optional(),
  /** The versions of its users, with who chose their moves, and of what reads the subject's statements; missing where none did, and in older results. */
  user: UserVersion.optional(),
  statements: z.string().optional(),
  /** Of an evaluation: its scenario; `subjectDigest`: what decides the subject's answers (settings, program, version), missing where unknown. */
  scenario: z.string().optional(),
  subjectDigest: z.string().optional(),
  /** Execute's remarks on the iteration when it submitted it, and when it closed it. */
  notes: z.array(z.string()).optional(),
  target: z.number(),
  /** The number that is compared with the target, where it is not the rate. */
  gate: z.literal('lower-bound').optional(),
  successRate: z.number(),
  passed: z.int(),
  total: z.int(),
  unscored: z.int(),
  /** The Wilson 95 % interval of the success rate. */
  interval: z.tuple([z.number(), z.number()]),
  /** Share of samples that passed all their trials; `passAtOne`: the mean share of passed trials per sample; `flipRate`: of samples whose trials disagree. */
  passAll: z.number(),
  passAtOne: z.number().optional(),
  flipRate: z.number().optional(),
  layers: LayerCounts,
  byCategory: Tally,
  byRule: Tally,
  samples: z.array(SampleResult),
  verification: Verification,
  /** The rules without a proof, which keep the target from being met; missing in results of earlier rules. */
  unproven: z.array(UnprovenRule).optional(),
  /** The reports on graders, with their confirmation by people's labels; missing without graders. */
  graders: z.array(GraderReport).optional(),
  /** The numbers that checkers and graders gave; missing where there is none. */
  metrics: z.array(MetricReport).optional(),
  /** Counts trials judged again in fresh hosts, and their differences; each is a remark of `verification`. */
  judgedAgain: z.strictObject({ trials: z.int(), differences: z.int() }).optional(),
  /** The confinement of generated code: `bubblewrap`, `node-permission`, … */
  sandbox: z.string(),
  /** Threats that the sandbox does not stop, in words; missing in older results. */
  sandboxGaps: z.array(z.string()).optional(),
  simulated: z.boolean(),
  costUsd: z.number(),
});
export type Results = z.infer<typeof Results>;

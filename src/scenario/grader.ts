/** The shape of `graders/<id>.yaml`: a question that a model answers about a trial, and the shape of its answer. */
import { z } from 'zod';
import { Slug } from './brief.ts';
import { RuleId } from './design.ts';
import { GivenNumbers, MetricName } from './metric.ts';

/** Kinds of change to an answer that a grader may overlook: a question about tone does not check amounts. */
const Ignored = z.enum(['acts', 'amounts']);

export const GraderSpec = z.strictObject({
  id: Slug,
  /** One question with two answers. */
  question: z.string().min(1),
  rules: z.array(RuleId).min(1),
  pass_when: z.string().min(1),
  fail_when: z.string().min(1),
  /** The meaning and the scale of `score`. Default: the grader gives none. */
  score: z.string().min(1).optional(),
  /** A lower score fails, whatever the verdict says; without `score` it is asked for from 0 to 1. */
  least_score: z.number().optional(),
  /** The meanings of other numbers, by name. */
  metrics: z.record(MetricName, z.string().min(1)).optional(),
  /** Judged examples for the prompt: a conversation, and the verdict that people gave. */
  examples: z
    .array(z.strictObject({ said: z.string().min(1), verdict: z.enum(['pass', 'fail']), reason: z.string().min(1) }))
    .optional(),
  /** Default: `graders.model` of the scenario, else the subject's own model. */
  model: z.string().min(1).optional(),
  /** The number of answers whose majority decides; an odd number. Default: 1. */
  votes: z
    .int()
    .positive()
    .max(9)
    .refine((votes) => votes % 2 === 1, 'expected an odd number, so that most of them decide')
    .optional(),
  /** Changes that the proof does not require the grader to notice. Default: none, so that it checks everything. */
  ignores: z.array(Ignored).optional(),
});
export type GraderSpec = z.infer<typeof GraderSpec>;

/** The answer of a grader. Each quote must occur in the conversation, or the verdict is void. */
export const GraderAnswer = z.strictObject({
  verdict: z.enum(['pass', 'fail']),
  reason: z.string().min(1).max(2000),
  quotes: z.array(z.string().min(1)).min(1).max(12),
  ...GivenNumbers,
});
export type GraderAnswer = z.infer<typeof GraderAnswer>;

/** The version and the conversation of a grader's verdict, and whether it counts. */
export const GradedBy = z.strictObject({
  model: z.string(),
  /** Digest of the grader, its prompt and its model; another version gives another verdict. */
  key: z.string(),
  /** Digest of the text that the grader read. */
  conversation: z.string(),
  /** False for a verdict that is shown but not counted in the outcome (docs/graders.md). */
  counts: z.boolean(),
  votes: z.strictObject({ pass: z.int(), fail: z.int(), void: z.int() }),
});
export type GradedBy = z.infer<typeof GradedBy>;

/** One question of a grader's proof: an answer with a known verdict, and the grader's own verdict. */
export const GraderCase = z.strictObject({
  sample: z.string(),
  kind: z.enum(['gold', 'wrong', 'silent', 'orders-to-pass', 'confident-lie', 'wrong-amount', 'padded', 'reordered']),
  /** `either`: the right verdict for this grader is unknown, but it must fail at least one such answer. */
  wanted: z.enum(['pass', 'fail', 'either']),
  got: z.enum(['pass', 'fail', 'void']),
  reason: z.string(),
  conversation: z.string(),
});
export type GraderCase = z.infer<typeof GraderCase>;

export const GraderProof = z.strictObject({
  id: z.string(),
  key: z.string(),
  model: z.string(),
  cases: z.array(GraderCase),
  /** The number of questions that the budget did not cover. */
  untried: z.int().nonnegative(),
  costUsd: z.number().nonnegative(),
});
export type GraderProof = z.infer<typeof GraderProof>;

const Share = z.number().min(0).max(1);

/** A grader's results in one iteration, and how far people's labels confirm it. */
export const GraderReport = z.strictObject({
  id: z.string(),
  model: z.string(),
  key: z.string(),
  /** Whether its verdicts decided. `allowed`: only because the scenario permits it. `why`: the reasons against it. */
  counts: z.boolean(),
  allowed: z.literal(true).optional(),
  why: z.string().optional(),
  passed: z.int(),
  judged: z.int(),
  void: z.int(),
  /** Rates on the labels of the test part; missing without labels. */
  sensitivity: Share.optional(),
  specificity: Share.optional(),
  kappa: z.number().optional(),
  labels: z.strictObject({
    pass: z.int(),
    fail: z.int(),
    train: z.int(),
    dev: z.int(),
    /** Labels of the test part on conversations that this version of the grader has not judged. */
    otherVersion: z.int(),
  }),
  /** The pass rate corrected by the grader's errors; the 95 % interval includes the uncertainty of the labels. */
  corrected: z.strictObject({ value: Share, interval: z.tuple([Share, Share]) }).optional(),
  /** Trials, as `<sample>.<trial>`, whose labels would narrow the interval most. */
  next: z.array(z.string()),
});
export type GraderReport = z.infer<typeof GraderReport>;

/** The version of simulated users, and who chose their moves: rules, or a model. */
export const UserVersion = z.strictObject({ version: z.string(), chooser: z.string() });

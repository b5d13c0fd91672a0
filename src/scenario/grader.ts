/** `graders/<id>.yaml`: a question that a model answers about a trial, and the shape of its answer. */
import { z } from 'zod';
import { Slug } from './brief.ts';
import { RuleId } from './design.ts';
import { GivenNumbers, MetricName } from './metric.ts';

/** What a mutated answer may change, and a grader may have no eye for: a question about tone does not look at amounts. */
const Ignored = z.enum(['acts', 'amounts']);

export const GraderSpec = z.strictObject({
  id: Slug,
  /** One question with two answers. */
  question: z.string().min(1),
  rules: z.array(RuleId).min(1),
  pass_when: z.string().min(1),
  fail_when: z.string().min(1),
  /** What its `score` measures, and on which scale. Default: it gives none. */
  score: z.string().min(1).optional(),
  /** The same for other numbers, by name. */
  metrics: z.record(MetricName, z.string().min(1)).optional(),
  /** Judged examples for the prompt: what was said, and what people say about it. */
  examples: z
    .array(z.strictObject({ said: z.string().min(1), verdict: z.enum(['pass', 'fail']), reason: z.string().min(1) }))
    .optional(),
  /** Default: `graders.model` of the scenario, else the subject's own model. */
  model: z.string().min(1).optional(),
  /** So many answers, of which most decide; an odd number. Default: 1. */
  votes: z
    .int()
    .positive()
    .max(9)
    .refine((votes) => votes % 2 === 1, 'expected an odd number, so that most of them decide')
    .optional(),
  /** The proof does not demand that it fails an answer for these alone. Default: it looks at everything. */
  ignores: z.array(Ignored).optional(),
});
export type GraderSpec = z.infer<typeof GraderSpec>;

/** The answer of a grader. Every quote must have been said in the conversation, or the verdict is void. */
export const GraderAnswer = z.strictObject({
  verdict: z.enum(['pass', 'fail']),
  reason: z.string().min(1).max(2000),
  quotes: z.array(z.string().min(1)).min(1).max(12),
  ...GivenNumbers,
});
export type GraderAnswer = z.infer<typeof GraderAnswer>;

/** What a verdict of a grader was given for, and whether it counts. */
export const GradedBy = z.strictObject({
  model: z.string(),
  /** Digest of the grader, its prompt and its model: a verdict of another version is another verdict. */
  key: z.string(),
  /** Digest of what the grader read. */
  conversation: z.string(),
  /** False: shown, and not counted in the outcome (docs/graders.md). */
  counts: z.boolean(),
  votes: z.strictObject({ pass: z.int(), fail: z.int(), void: z.int() }),
});
export type GradedBy = z.infer<typeof GradedBy>;

/** One question of a grader's proof: an answer whose verdict is known, and the verdict that it got. */
export const GraderCase = z.strictObject({
  sample: z.string(),
  kind: z.enum(['gold', 'wrong', 'silent', 'orders-to-pass', 'confident-lie', 'wrong-amount', 'padded', 'reordered']),
  /** `either`: what it must be is not known for this grader; it only has to fail one of them. */
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
  /** Questions for which the budget was not enough. */
  untried: z.int().nonnegative(),
  costUsd: z.number().nonnegative(),
});
export type GraderProof = z.infer<typeof GraderProof>;

const Share = z.number().min(0).max(1);

/** How a grader did in one set of results, and how far people's labels say that it can be believed. */
export const GraderReport = z.strictObject({
  id: z.string(),
  model: z.string(),
  key: z.string(),
  /** Whether its verdicts decided; `allowed`: only because the scenario says so. `why`: what speaks against it. */
  counts: z.boolean(),
  allowed: z.literal(true).optional(),
  why: z.string().optional(),
  passed: z.int(),
  judged: z.int(),
  void: z.int(),
  /** Of labels in the test part; missing without any. */
  sensitivity: Share.optional(),
  specificity: Share.optional(),
  kappa: z.number().optional(),
  labels: z.strictObject({
    pass: z.int(),
    fail: z.int(),
    train: z.int(),
    dev: z.int(),
    /** Of the test part, where this version of the grader has said nothing. */
    otherVersion: z.int(),
  }),
  /** Its rate, corrected by its errors; the 95 % interval carries the labels' uncertainty too. */
  corrected: z.strictObject({ value: Share, interval: z.tuple([Share, Share]) }).optional(),
  /** Trials, as `<sample>.<trial>`, whose labels would narrow the interval most. */
  next: z.array(z.string()),
});
export type GraderReport = z.infer<typeof GraderReport>;

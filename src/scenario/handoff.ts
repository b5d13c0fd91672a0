/** Shapes of hand-offs between the agents, as machines read them (S0.21). */
import { z } from 'zod';
import { RuleId } from './design.ts';
import { Cause } from './result.ts';

/** A problem that Execute sends back to Init; it must cite rules and samples. */
export const Layer1Problem = z.strictObject({
  title: z.string().min(1),
  rules: z.array(RuleId).min(1),
  samples: z.array(z.string()).min(1),
  claim: z.string().min(1),
  proposal: z.string().optional(),
});
export type Layer1Problem = z.infer<typeof Layer1Problem>;

/** The content of `layer1_problems.json` of an iteration. */
export const Layer1Problems = z.strictObject({
  version: z.literal(1),
  /** Further remarks of Execute; runs of earlier versions have none. */
  summary: z.string().optional(),
  problems: z.array(Layer1Problem),
});
export type Layer1Problems = z.infer<typeof Layer1Problems>;

/** The cause of one failure as Execute reads its traces; `component` is the tool or checker that it blames. */
export const NamedCause = z.strictObject({
  sample: z.string().min(1),
  cause: Cause,
  component: z.string().min(1).optional(),
  why: z.string().min(1).max(2000),
});
export type NamedCause = z.infer<typeof NamedCause>;

/**
 * The facts of a hand-off file. A compaction is an entry of a transcript and a sub-agent's result the answer of a tool: each is a
 * type of its own, so `handoff` is the only kind that is written.
 */
export const Checkpoint = z.strictObject({
  version: z.literal(1),
  kind: z.enum(['compaction', 'handoff', 'subagent']),
  from: z.string(),
  to: z.string(),
  round: z.int().positive(),
  iteration: z.int().nonnegative(),
  /** Folder of the iteration, relative to the run folder. */
  executionOutputDir: z.string().optional(),
  designDir: z.string().optional(),
  summary: z.string(),
  /** A reviewer's comment, on approve too. */
  reviewerNotes: z.string().optional(),
  problems: z.array(Layer1Problem).default([]),
  keyPaths: z.array(z.string()),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** What Init did about one comment of the reviewer; the harness checks it against the two designs (S0.22). */
export const CommentAnswer = z.strictObject({
  /** The number of the comment in the reviewer's answer, from 1. */
  comment: z.int().positive(),
  did: z.enum(['changed', 'added', 'answered', 'kept']),
  /** The rules that were changed, added or kept. */
  rules: z.array(RuleId).default([]),
  why: z.string().min(1).max(1000),
});
export type CommentAnswer = z.infer<typeof CommentAnswer>;

/** Init's reason why something that the sources name, or a reader would ask for, is not in the design. */
export const LeftOut = z.strictObject({ what: z.string().min(1).max(200), why: z.string().min(1).max(1000) });
export type LeftOut = z.infer<typeof LeftOut>;

/** Init's account of sentences of the brief, by their numbers, or of sections without a rule, as `file:line` or `file`. */
export const SentenceAccount = z.strictObject({
  of: z.array(z.union([z.int().positive(), z.string().min(1)])).min(1),
  /** Names what carries them: rules, `attribute=value`, attributes, outcomes, tools and categories. */
  by: z.array(z.string().min(1).max(200)).default([]),
  /** Set where nothing carries them. */
  none: z.enum(['background', 'said_elsewhere', 'left_out']).optional(),
  why: z.string().min(1).max(1000).optional(),
});
export type SentenceAccount = z.infer<typeof SentenceAccount>;

/** What a reviewer is shown at HITL-1: frozen with its digest before the gate opens, rendered everywhere from this. */
import { z } from 'zod';
import { Forecast } from '../../scenario/forecast/forecast.ts';
import { CaseCoverage } from '../../scenario/cases/case-coverage.ts';
import { Share } from '../../scenario/proof-strength.ts';

export const RuleChange = z.strictObject({
  kind: z.enum(['added', 'removed', 'changed']),
  id: z.string(),
  title: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  /** Why, in the agent's words, and what shows it: sample ids, trace paths. */
  reason: z.string().optional(),
  evidence: z.array(z.string()),
});
export type RuleChange = z.infer<typeof RuleChange>;

export const ReviewPack = z.strictObject({
  version: z.literal(1),
  gate: z.string(),
  run: z.string(),
  scenario: z.string(),
  title: z.string(),
  round: z.int().positive(),
  designDigest: z.string(),
  designDir: z.string(),
  author: z.string(),
  /** Set when the model behind the run is the offline one, so that the reviewer sees it. */
  simulated: z.boolean().optional(),
  /** What approving sets going, and what it may cost. */
  effect: z.strictObject({
    text: z.string(),
    /** What is still to be paid, in the middle case; `forecast` says how far it may go, and what it is made of. */
    estimateUsd: z.number(),
    forecast: Forecast.optional(),
    spentUsd: z.number(),
    /** What failed calls may have cost beyond `spentUsd`, at most; absent: nothing. */
    uncertainUsd: z.number().positive().optional(),
    budgetUsd: z.number(),
    /** How long an iteration of this run has taken so far. */
    minutesPerIteration: z.number().optional(),
  }),
  why: z.strictObject({
    reason: z.enum(['first', 'returned', 'changes_requested']),
    text: z.string(),
    evidence: z.array(z.strictObject({ text: z.string(), path: z.string() })),
  }),
  /** The agent's own summary of the design. */
  summary: z.string(),
  /** Changes since the last approved round, or since nothing on the first. */
  since: z.strictObject({
    round: z.int().nullable(),
    rules: z.array(RuleChange),
    format: z.array(z.string()),
    /** The subject's whole prompt, where it changed. */
    prompt: z.strictObject({ before: z.string(), after: z.string() }).optional(),
    /** Unified diff of the three design files; empty on the first round. */
    diff: z.string(),
    /** Set when more lines differ than are compared one by one: then `diff` says so in the place of a file. */
    diffIncomplete: z.literal(true).optional(),
    /** Digests of the whole files on both sides of the change; absent on the first round and in packs of earlier versions. */
    files: z.array(z.strictObject({ name: z.string(), before: z.string(), after: z.string() })).optional(),
  }),
  rules: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      text: z.string(),
      severity: z.string(),
      /** Where it comes from; `file` and `line` only where the quote is in a source word for word. */
      source: z
        .strictObject({
          named: z.string(),
          quote: z.string().optional(),
          file: z.string().optional(),
          line: z.int().positive().optional(),
        })
        .optional(),
    }),
  ),
  /** The sections of each source, with the rules that come from them; absent in older packs. */
  sources: z
    .array(
      z.strictObject({
        file: z.string(),
        sections: z.array(z.strictObject({ line: z.int().positive(), title: z.string(), rules: z.array(z.string()) })),
      }),
    )
    .optional(),
  /** What tested each rule in the newest iteration; absent before the first. */
  coverage: z
    .strictObject({
      iteration: z.int().positive(),
      rules: z.array(
        z.strictObject({
          id: z.string(),
          samples: z.array(z.string()),
          checkers: z.array(z.string()),
          /** How many of the samples must end unchanged: the cases in which the rule says no. */
          refusals: z.int().nonnegative(),
          /** Seeded faults about the rule that the proofs of the iteration notice; missing in older packs. */
          strength: Share.optional(),
        }),
      ),
    })
    .optional(),
  /** Machine checks: a failed one does not block, it must be seen. */
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      /** It could not be made; the detail says why. */
      skipped: z.literal(true).optional(),
      detail: z.string(),
    }),
  ),
  /** The case table in words; absent where the design names no cases, and in older packs. */
  cases: z
    .strictObject({
      attributes: z.int().nonnegative(),
      rules: z.array(
        z.strictObject({
          id: z.string(),
          lines: z.array(z.strictObject({ when: z.string(), demands: z.string() })),
          over: z.array(z.string()),
        }),
      ),
      findings: z.array(
        z.strictObject({
          kind: z.enum(['conflict', 'gap', 'subsumed']),
          rules: z.array(z.string()),
          text: z.string(),
          example: z.string().optional(),
        }),
      ),
      /** What of the table the samples of the newest iteration reach. */
      reached: z.strictObject({ iteration: z.int().positive(), ...CaseCoverage.shape }).optional(),
    })
    .optional(),
  /** The subject’s prompt, in full; absent in older packs. */
  prompt: z.string().optional(),
  questions: z.array(z.string()),
  comments: z.array(
    z.strictObject({
      gate: z.string(),
      actor: z.string(),
      text: z.string(),
      /** What it is about, when that was pointed at: `R4`, `business_rules.yaml:12`. */
      anchor: z.string().optional(),
      addressed: z.boolean(),
      /** It came with an approval, and so requested nothing. */
      note: z.literal(true).optional(),
      detail: z.string(),
    }),
  ),
});
export type ReviewPack = z.infer<typeof ReviewPack>;

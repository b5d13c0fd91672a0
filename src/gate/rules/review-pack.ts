/** The pack that a reviewer sees at HITL-1, frozen with its digest before the gate opens and rendered everywhere. */
import { z } from 'zod';
import { Forecast } from '../../scenario/forecast/forecast.ts';
import { CaseCoverage } from '../../scenario/cases/case-coverage.ts';
import { SentenceAccount } from '../../scenario/handoff.ts';
import { Share } from '../../scenario/proof-strength.ts';

export const RuleChange = z.strictObject({
  kind: z.enum(['added', 'removed', 'changed']),
  id: z.string(),
  title: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  /** The reason in the agent's words, with its evidence: sample ids and trace paths. */
  reason: z.string().optional(),
  evidence: z.array(z.string()),
});
export type RuleChange = z.infer<typeof RuleChange>;

/** A sentence of the brief by its number, or a section of a source, with Init's account of it; `doubt` is what code finds wrong. */
export const AccountedText = z.strictObject({
  ...{ place: z.string(), text: z.string(), doubt: z.string().optional() },
  ...SentenceAccount.omit({ of: true }).shape,
});
export type AccountedText = z.infer<typeof AccountedText>;

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
  /** Set when the run uses the offline model, so that the reviewer knows it. */
  simulated: z.boolean().optional(),
  /** The work that an approval starts, and its cost. */
  effect: z.strictObject({
    text: z.string(),
    /** The remaining cost in the middle case; `forecast` holds its range and its parts. */
    estimateUsd: z.number(),
    forecast: Forecast.optional(),
    spentUsd: z.number(),
    /** The most that failed calls may have cost beyond `spentUsd`; absent means nothing. */
    uncertainUsd: z.number().positive().optional(),
    budgetUsd: z.number(),
    /** The mean duration of this run's iterations so far. */
    minutesPerIteration: z.number().optional(),
  }),
  why: z.strictObject({
    reason: z.enum(['first', 'returned', 'changes_requested']),
    text: z.string(),
    evidence: z.array(z.strictObject({ text: z.string(), path: z.string() })),
  }),
  /** The agent's own summary of the design. */
  summary: z.string(),
  /** Changes since the last approved round; until there is one, everything is new to its reviewer. */
  since: z.strictObject({
    round: z.int().nullable(),
    /** With no approved round, the changes since the design of the round before, with Init's reasons. */
    rules: z.array(RuleChange),
    format: z.array(z.string()),
    /** The subject's whole prompt before and after, if it changed. */
    prompt: z.strictObject({ before: z.string(), after: z.string() }).optional(),
    /** Unified diff of the three design files; empty on the first round. */
    diff: z.string(),
    /** Set when too many lines differ to list them; `diff` then says so in place of that file. */
    diffIncomplete: z.literal(true).optional(),
    /** Digests of whole files before and after; absent on the first round and in packs of earlier versions. */
    files: z.array(z.strictObject({ name: z.string(), before: z.string(), after: z.string() })).optional(),
  }),
  rules: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      text: z.string(),
      severity: z.string(),
      /** The origin of the rule; `file` and `line` are set only where a source contains the quote word for word. */
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
  /** The sections of each source with the rules that cite them; absent in older packs. */
  sources: z
    .array(
      z.strictObject({
        file: z.string(),
        sections: z.array(z.strictObject({ line: z.int().positive(), title: z.string(), rules: z.array(z.string()) })),
      }),
    )
    .optional(),
  /** Tells what became of each sentence of the brief; absent where Init did not say, and in older packs. */
  accounts: z.array(AccountedText).optional(),
  /** The components that tested each rule in the newest iteration; absent before the first iteration. */
  coverage: z
    .strictObject({
      iteration: z.int().positive(),
      rules: z.array(
        z.strictObject({
          id: z.string(),
          samples: z.array(z.string()),
          checkers: z.array(z.string()),
          /** Set where the approved table judges the rule; missing in older packs. */
          table: z.literal(true).optional(),
          /** In older packs: samples that must end unchanged. */
          refusals: z.int().nonnegative().optional(),
          /** The share of seeded faults about the rule that the proofs notice; missing in older packs. */
          strength: Share.optional(),
        }),
      ),
    })
    .optional(),
  /** Checks by code; a failed one does not block, but must be seen. */
  checks: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      /** Set when the check could not be made; `detail` says why. */
      skipped: z.literal(true).optional(),
      detail: z.string(),
    }),
  ),
  /** The case table in words; absent when the design names no cases, and in older packs. */
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
      /** Where code reads each outcome, said once for all rules; packs from before say it at every rule. */
      readings: z.array(z.string()).min(1).optional(),
      findings: z.array(
        z.strictObject({
          kind: z.enum(['conflict', 'gap', 'subsumed']),
          rules: z.array(z.string()),
          text: z.string(),
          example: z.string().optional(),
        }),
      ),
      /** The part of the table that the samples of the newest iteration reach. */
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
      /** The anchor of the comment, if the reviewer set one: `R4`, `business_rules.yaml:12`. */
      anchor: z.string().optional(),
      addressed: z.boolean(),
      /** Set when Init kept what the comment names, and says why. */
      kept: z.literal(true).optional(),
      /** Set for a comment that came with an approval and so requested nothing. */
      note: z.literal(true).optional(),
      detail: z.string(),
    }),
  ),
});
export type ReviewPack = z.infer<typeof ReviewPack>;

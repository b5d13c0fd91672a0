/** The design that Init writes into `design/rN/`: three files, and the manifest that the harness adds. */
import { z } from 'zod';
import { CategoryId } from './brief.ts';
import { ABOUT_WORDS, Cases, RuleDemands, RuleLine, When } from './cases/cases.ts';

export const DESIGN_FILES = ['unified_scenario_design.md', 'business_rules.yaml', 'format_spec.yaml'] as const;

export const RuleId = z.string().regex(/^R[1-9]\d*$/, 'expected a rule id such as R4');

export const BusinessRule = z.strictObject({
  id: RuleId,
  title: z.string().min(1),
  text: z.string().min(1),
  severity: z.enum(['must', 'should']),
  /** Names of the tools that the rule concerns. */
  applies_to: z.array(z.string()).default([]),
  /** The origin of the rule: `policies/refunds.md, section 2`. */
  source: z.string().optional(),
  /** The sentence of the source that states the rule, word for word. */
  quote: z.string().min(1).max(600).optional(),
  /** The cases that the rule concerns, and its demands; `also` holds further cases with other demands. */
  when: When.optional(),
  demands: z.union([z.literal(ABOUT_WORDS), RuleDemands]).optional(),
  also: z.array(RuleLine).optional(),
  /** Rules over which this one takes precedence where both concern one case. */
  over: z.array(RuleId).optional(),
});
export type BusinessRule = z.infer<typeof BusinessRule>;

/** The content of `business_rules.yaml`. */
export const BusinessRules = z.strictObject({
  version: z.literal(1),
  rules: z.array(BusinessRule).min(1),
  /** Questions that the agent could not settle; the reviewer answers them at the gate. */
  open_questions: z.array(z.string()).default([]),
});
export type BusinessRules = z.infer<typeof BusinessRules>;

/** The content of `format_spec.yaml`: the components that Execute must build, and the prompt of the subject. */
export const FormatSpec = z.strictObject({
  version: z.literal(1),
  /** JSON Schema of a sample's world: the state that the tools read and change. */
  world: z.looseObject({ type: z.literal('object') }),
  tools: z
    .array(
      z.strictObject({
        name: z.string(),
        purpose: z.string(),
        changes_world: z.boolean(),
        /** The caller (dual control): a tool of the user is not offered to the subject. Default: the subject. */
        by: z.enum(['subject', 'user']).optional(),
      }),
    )
    .min(1),
  categories: z.array(z.strictObject({ id: CategoryId, title: z.string(), samples: z.int().positive() })).min(1),
  /** The subject's whole system prompt. */
  subject_prompt: z.string().min(1),
  /** The cases of the rules, by which code finds conflicts and gaps; without it code searches for neither. */
  cases: Cases.optional(),
});
export type FormatSpec = z.infer<typeof FormatSpec>;

/** Returns the names of the tools that the user calls and the subject does not have (dual control). */
export function listUserTools({ tools }: Pick<FormatSpec, 'tools'>): ReadonlySet<string> {
  return new Set(tools.filter(({ by }) => by === 'user').map(({ name }) => name));
}

/** A design as read from its folder; `digest` is the sha256 over its manifest. */
export type Design = {
  round: number;
  digest: string;
  narrative: string;
  rules: BusinessRules;
  format: FormatSpec;
};

/** `manifest.json` of a committed folder: sha256 and size of every other file in it, paths sorted. */
export const Manifest = z.strictObject({
  version: z.literal(1),
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string().length(64), bytes: z.int().nonnegative() })),
});
export type Manifest = z.infer<typeof Manifest>;

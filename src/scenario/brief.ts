/** `scenario.yaml`: what is to be evaluated, by which subject, and when to stop. */
import { z } from 'zod';
import { SubjectBrief, UserBrief, userModelName } from './subject.ts';
import { ScenarioTools } from './tool-servers.ts';

export const Slug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected a slug: small letters, digits and dashes');

/** Matches the id of a sample, in any script; capital letters would make two names one on some disks. */
export const SAMPLE_ID = String.raw`[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lm}\p{Lo}\p{M}\p{N}\-]{0,63}`;
export const SampleId = z
  .string()
  .regex(new RegExp(`^${SAMPLE_ID}$`, 'u'), 'expected small letters of any script, digits and dashes, at most 64');

/** `Late returns` becomes `late-returns`, `逾期 归还` becomes `逾期-归还`; a slug stays as it is. */
export function makeId(name: string): string {
  if (Slug.safeParse(name).success) return name;
  const plain = name.normalize('NFKC').toLowerCase();
  return plain.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '');
}

/** The id of a category, made of the name that a person gave it. */
export const CategoryId = z.preprocess(
  (name) => (typeof name === 'string' ? makeId(name) : name),
  z
    .string()
    .max(64)
    .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*$/u, 'expected a name with letters or digits'),
);

/** Judges that are models (`graders/<id>.yaml`). */
const GradersBrief = z.strictObject({
  /** `show`: a grader that people's labels have not confirmed is shown and decides nothing · `allow`: it decides, and every report says so. */
  uncalibrated: z.enum(['show', 'allow']).default('show'),
  /** For graders that name none; default: the subject's own model. */
  model: z.string().min(1).optional(),
});

const SHARE = 'expected a number above 0 and up to 1: 85 % is written 0.85';
const DOLLARS = 'expected US dollars, a number above 0, such as 5';

/** YAML reads a bare `on` and `off` as words or as truth values. */
function readSwitch(value: unknown): unknown {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
}

/** Trials of a sample. Nobody needs more: the interval of one sample is then 6 points wide. */
export const MOST_TRIALS = 1000;

export const Brief = z
  .strictObject({
    version: z.literal(1),
    name: Slug,
    title: z.string().min(1),
    /** The files of the scenario folder that Init may read, relative to it; the first is the brief itself. */
    reads: z.array(z.string()).min(1),
    /** Success rate at which the run succeeds (S0.25). */
    target: z.number(SHARE).gt(0, SHARE).lte(1, SHARE).default(0.85),
    /** Compare the rate itself, or the lower bound of its 95 % interval, with the target. */
    gate: z.enum(['rate', 'lower-bound']).default('rate'),
    max_iterations: z.int().positive().default(8),
    max_rounds: z.int().positive().default(5),
    /** Stop when this many iterations in a row brought no better rate under the same design. */
    patience: z.int().positive().default(3),
    /** Trials per sample; a sample may override it. */
    trials: z.int().positive().max(MOST_TRIALS).default(1),
    samples: z.strictObject({ min: z.int().positive(), categories: z.array(CategoryId).min(1) }),
    subject: SubjectBrief,
    user: UserBrief.prefault({}),
    graders: GradersBrief.optional(),
    /** Holds what a subject says in a trial that passes against what it did; what is not so makes the verdict disputed. */
    statements: z.preprocess(readSwitch, z.enum(['on', 'off'])).optional(),
    /** Rules that the target is met without a proof of, each with the reason: `R7: read by people`. Every report says so. */
    unproven: z.record(z.string().regex(/^R\d+$/, 'expected a rule, such as R7'), z.string().min(1)).optional(),
    /** Servers whose tools the subject is offered; `tools/<name>.mcp.json` names one of them. */
    tools: ScenarioTools.optional(),
    /** Money cap of one run, US dollars. */
    budget_usd: z.number(DOLLARS).positive(DOLLARS).default(25),
  })
  .refine((brief) => brief.user.simulator !== 'model' || userModelName(brief) !== undefined, {
    path: ['user', 'model'],
    message: 'the subject is no model, so "user: model" must name one: user: {simulator: model, model: …}',
  });
export type Brief = z.infer<typeof Brief>;

/** The shape of `samples/<id>.json`: one case with its start, its user, and the required end. */
import { z } from 'zod';
import { CategoryId, SampleId, Slug } from './brief.ts';
import { CaseValue } from './cases/cases.ts';
import { RuleId } from './design.ts';
import { UserKind } from './subject.ts';

/** One operation of an RFC 6902 patch; `move` and `copy` are not needed here. */
export const PatchOperation = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('add'), path: z.string(), value: z.unknown() }),
  z.strictObject({ op: z.literal('replace'), path: z.string(), value: z.unknown() }),
  z.strictObject({ op: z.literal('remove'), path: z.string() }),
]);
export type PatchOperation = z.infer<typeof PatchOperation>;

const World = z.record(z.string(), z.unknown());

/** Either a whole world, or a file of `samples/worlds/` with a patch to it. */
const Start = z.union([
  z.strictObject({ world: World }),
  z.strictObject({ base: z.string(), patch: z.array(PatchOperation).default([]) }),
]);

/**
 * `unchanged`, a patch from the start world to the only right end, or several right ends; `any` where only the checkers
 * decide which ends are right.
 */
const EndState = z.union(
  [
    z.literal(['unchanged', 'any']),
    z.strictObject({ patch: z.array(PatchOperation) }),
    z.strictObject({
      any_of: z.array(z.union([z.literal('unchanged'), z.strictObject({ patch: z.array(PatchOperation) })])).min(2),
    }),
  ],
  { error: 'expected "unchanged", "any", {"patch": [{op, path, value}]} or {"any_of": [several of them]}' },
);

const SampleCall = z.strictObject({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
export type SampleCall = z.infer<typeof SampleCall>;

/** One step of a listed path: a tool call, a message of the subject, or its user's answer. */
const PathStep = z.union([
  SampleCall,
  z.strictObject({ says: z.string().min(1) }),
  z.strictObject({ user: z.string().min(1) }),
]);
export type PathStep = z.infer<typeof PathStep>;

export const Sample = z.strictObject({
  id: SampleId,
  title: z.string().min(1),
  category: CategoryId,
  covers: z.array(RuleId).min(1),
  trials: z.int().positive().optional(),
  /** The sample's case, if the design has cases; `case_of` fills the keys of rules that derive attributes. */
  case: z.record(z.string(), CaseValue).optional(),
  case_of: z.record(z.string(), z.union([z.string(), z.int()])).optional(),
  start: Start,
  user: z.strictObject({
    says_first: z.string().min(1),
    /** The kind of user for this sample, if it differs from that of `scenario.yaml`. */
    simulator: UserKind.optional(),
    /** Facts that the user can give or agree to; the scripted user finds them by the meaning of their keys. */
    knows: z.record(z.string(), z.string()).default({}),
    does_not_know: z.array(z.string()).default([]),
    stops_when: z.string().default('the agent has finished'),
    /** Acts of the user (dual control), each at most once, when the subject's message has the phrase in any case. */
    acts: z
      .array(
        z.strictObject({ when: z.string().min(1), calls: z.array(SampleCall).default([]), says: z.string().min(1) }),
      )
      .optional(),
  }),
  expect: z.strictObject({
    end_state: EndState,
    /** Each entry lists phrases of which the subject must say one (case-insensitive). */
    must_say: z.array(z.strictObject({ any: z.array(z.string().min(1)).min(1) })).default([]),
    must_not_call: z.array(z.string()).default([]),
  }),
  /**
   * One right path, which proofs replay and no subject must follow: calls, and for rules about words also messages of
   * subject and user, in order. `gold_says` is the subject's message at its end.
   */
  gold: z.array(PathStep),
  gold_says: z.string().min(1),
  /** A path with a plausible mistake, which must fail. */
  wrong: z.array(PathStep),
  wrong_says: z.string().default(''),
  /** Ids of the checkers that judge this sample, in addition to `expect`. */
  checkers: z.array(Slug).min(1),
  /** Ids of graders that also judge the sample, by questions that code cannot answer. */
  graders: z.array(Slug).min(1).optional(),
  /** JSON pointers into the start world: the parts that graders see in addition to the changes, but never gold. */
  graders_see: z.array(z.string().startsWith('/')).optional(),
  limits: z
    .strictObject({
      steps: z.int().positive().optional(),
      seconds: z.number().positive().optional(),
      /** The cap in US dollars on model calls of the subject and its user. */
      usd: z.number().positive().optional(),
    })
    .default({}),
});
export type Sample = z.infer<typeof Sample>;

/** Lists the tool calls of a path, without its messages. */
export function listCalls(path: readonly PathStep[]): SampleCall[] {
  return path.filter((step) => 'tool' in step);
}

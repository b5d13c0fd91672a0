/** The strength of a proof: the seeded faults it catches, the fair variations it accepts, the survivors, and the rules without a proof. */
import { z } from 'zod';

/** Trials of the proof; `caught` counts the right results: faults noticed, and fair variations passed. */
export const Share = z.strictObject({ caught: z.int().nonnegative(), total: z.int().nonnegative() });
export type Share = z.infer<typeof Share>;

/** A seeded fault that nothing noticed; `rules` are those that it touches. */
export const Survivor = z.strictObject({
  /** The kind of change: `shift-boundary`, `remove-call`, … */
  kind: z.string(),
  /** The name of a tool, or the id of a checker or a sample. */
  component: z.string(),
  /** `checkers/refund-amount.mjs:18`; a sample has no line. */
  place: z.string(),
  rules: z.array(z.string()),
  message: z.string(),
});
export type Survivor = z.infer<typeof Survivor>;

/** A finding that a person should look at; it refuses nothing. */
export const Finding = z.strictObject({
  code: z.string(),
  component: z.string(),
  sample: z.string().optional(),
  message: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** The finding of guards of a tool that no path of a sample comes to. */
export const GUARD_UNREACHED = 'guard-unreached';

/** The checkers that refuse each play of a sample: one character per play, `x` for refused. */
const SampleVerdicts = z.strictObject({
  digest: z.string(),
  plays: z.array(z.string()),
  refusedBy: z.record(z.string(), z.string()),
});

export const ProofStrength = z.strictObject({
  /** Everything that was tried; the score is `caught / total`. */
  all: Share,
  /** Mutants of tools and checkers that some path of the samples exercises. */
  mutants: Share,
  /** Changed gold paths and ends that some checker refuses. */
  sabotage: Share,
  /** Variations that are as right as gold, and that every checker accepts. */
  fair: Share,
  /** Mutants of the checkers that name the rule, and sabotage of the samples that cover it. */
  rules: z.record(z.string(), Share),
  /** Mutants of the tool, and sabotage of its calls. */
  tools: z.record(z.string(), Share),
  survivors: z.array(Survivor),
  findings: z.array(Finding),
  /** Faults that an unchanged sample caught before and misses now; set only where there is an earlier proof. */
  regressions: z.array(Finding).optional(),
  /** Survivors of the iteration before that are none now; set only where there is an earlier proof. */
  settled: z.int().nonnegative().optional(),
  /** Counts the mutants for which there was no time; `unmeasured` lists components that could not be mutated. */
  untried: z.int().nonnegative(),
  unmeasured: z.array(z.string()),
  /** The number of survivors, where `survivors` lists only the first ones. */
  survived: z.int().nonnegative(),
  /** Digests of components by path, and the verdicts of each sample, to which a later proof is compared. */
  components: z.record(z.string(), z.string()).optional(),
  verdicts: z.record(z.string(), SampleVerdicts).optional(),
});
export type ProofStrength = z.infer<typeof ProofStrength>;

/** Returns the score between 0 and 1; it is 1 where nothing could be tried. */
export function computeScore({ caught, total }: Share): number {
  return total === 0 ? 1 : caught / total;
}

const MOST_SURVIVORS = 40;

/** Drops the data that only a later proof needs, for results that people and agents read. */
export function summariseStrength({
  components: _components,
  verdicts: _verdicts,
  survivors,
  ...rest
}: ProofStrength): ProofStrength {
  return { ...rest, survivors: survivors.slice(0, MOST_SURVIVORS) };
}

/** A rule that requires consent: whether a sample proves that its checkers read the words, and how that was found. */
export const WordsProof = z.strictObject({ rule: z.string(), proven: z.boolean(), why: z.string() });
export type WordsProof = z.infer<typeof WordsProof>;

/** A rule of which nothing shows that a break of it would be noticed. `allowed`: why scenario.yaml takes it so. */
export const UnprovenRule = z.strictObject({ rule: z.string(), why: z.string(), allowed: z.string().optional() });
export type UnprovenRule = z.infer<typeof UnprovenRule>;

/** How much a proof would notice: seeded faults caught and fair variations borne, as numbers, and what survives. */
import { z } from 'zod';

/** `caught` counts what came out as it must: faults that were noticed, fair variations that passed. */
export const Share = z.strictObject({ caught: z.int().nonnegative(), total: z.int().nonnegative() });
export type Share = z.infer<typeof Share>;

/** A fault that nobody notices. `rules` are those that it touches. */
export const Survivor = z.strictObject({
  /** What was done: `shift-boundary`, `remove-call`, … */
  kind: z.string(),
  /** Name of a tool, id of a checker or a sample. */
  component: z.string(),
  /** `checkers/refund-amount.mjs:18`; a sample has no line. */
  place: z.string(),
  rules: z.array(z.string()),
  message: z.string(),
});
export type Survivor = z.infer<typeof Survivor>;

/** Something a person should look at; it refuses nothing. */
export const Finding = z.strictObject({
  code: z.string(),
  component: z.string(),
  sample: z.string().optional(),
  message: z.string(),
});
export type Finding = z.infer<typeof Finding>;

/** Who refuses each play of a sample: a character a play, `x` for refused. */
const SampleVerdicts = z.strictObject({
  digest: z.string(),
  plays: z.array(z.string()),
  refusedBy: z.record(z.string(), z.string()),
});

export const ProofStrength = z.strictObject({
  /** All that was tried; the score is `caught / total`. */
  all: Share,
  /** Mutants of tools and checkers that some path of the samples shows. */
  mutants: Share,
  /** Changed gold paths and ends that somebody refuses. */
  sabotage: Share,
  /** Variations that are as right as gold, and that everybody accepts. */
  fair: Share,
  /** Mutants of the checkers that name the rule, and sabotage of the samples that cover it. */
  rules: z.record(z.string(), Share),
  /** Mutants of the tool, and sabotage of its calls. */
  tools: z.record(z.string(), Share),
  survivors: z.array(Survivor),
  findings: z.array(Finding),
  /** What was caught before, by an unchanged sample, and survives now; only where there was something before. */
  regressions: z.array(Finding).optional(),
  /** Mutants for which there was no time, and components that could not be mutated. */
  untried: z.int().nonnegative(),
  unmeasured: z.array(z.string()),
  /** How many survive, where `survivors` lists the first of them only. */
  survived: z.int().nonnegative(),
  /** Path of a component -> digest of it, and sample -> what its judges said: what a later proof is compared with. */
  components: z.record(z.string(), z.string()).optional(),
  verdicts: z.record(z.string(), SampleVerdicts).optional(),
});
export type ProofStrength = z.infer<typeof ProofStrength>;

/** Between 0 and 1; 1 where nothing could be tried. */
export function scoreOf({ caught, total }: Share): number {
  return total === 0 ? 1 : caught / total;
}

const MOST_SURVIVORS = 40;

/** Without what only a later proof needs: for results that people and agents read. */
export function summaryOf({
  components: _components,
  verdicts: _verdicts,
  survivors,
  ...rest
}: ProofStrength): ProofStrength {
  return { ...rest, survivors: survivors.slice(0, MOST_SURVIVORS) };
}

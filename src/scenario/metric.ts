/** Numbers that a checker or grader gives in addition to its verdict, which they do not affect. */
import { z } from 'zod';

const MOST_METRICS = 20;

export const MetricName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/)
  .refine((name) => name !== 'score', 'expected another name: `score` has a key of its own');

/** The keys of an answer, and of the verdict made from it. */
export const GivenNumbers = {
  /** The quality, where pass and fail say too little; the checker chooses the scale. */
  score: z.number().optional(),
  metrics: z
    .record(MetricName, z.number())
    .refine((all) => Object.keys(all).length <= MOST_METRICS, `expected at most ${MOST_METRICS} metrics`)
    .optional(),
};

/** One number over all judged trials, in which every sample weighs the same. */
export const MetricReport = z.strictObject({
  /** The id of a checker or a grader. */
  checker: z.string(),
  /** `score`, or the name of a metric. */
  name: z.string(),
  mean: z.number(),
  /** The 95 % interval of the samples' means by Student's distribution; missing below three samples. */
  interval: z.tuple([z.number(), z.number()]).optional(),
  min: z.number(),
  max: z.number(),
  samples: z.int().positive(),
  trials: z.int().positive(),
});
export type MetricReport = z.infer<typeof MetricReport>;

/** The means of each sample by `<checker>.<name>`, as a baseline stores them. */
export const MetricMeans = z.record(z.string(), z.record(z.string(), z.number()));
export type MetricMeans = z.infer<typeof MetricMeans>;

/** Numbers that a checker or grader gives in addition to its verdict. They are summarised and compared, and do not affect the verdict. */
import { z } from 'zod';

const MOST_METRICS = 20;

export const MetricName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/)
  .refine((name) => name !== 'score', 'expected another name: `score` has a key of its own');

/** The keys of an answer, and of the verdict that is made of it. */
export const GivenNumbers = {
  /** How good it was, where pass and fail say too little; the scale is the checker's own. */
  score: z.number().optional(),
  metrics: z
    .record(MetricName, z.number())
    .refine((all) => Object.keys(all).length <= MOST_METRICS, `expected at most ${MOST_METRICS} metrics`)
    .optional(),
};

/** One number over all judged trials: every sample weighs the same. */
export const MetricReport = z.strictObject({
  /** Of a checker or a grader. */
  checker: z.string(),
  /** `score`, or the name of a metric. */
  name: z.string(),
  mean: z.number(),
  /** 95 %, by Student's distribution over the samples' means; missing with fewer than three samples. */
  interval: z.tuple([z.number(), z.number()]).optional(),
  min: z.number(),
  max: z.number(),
  samples: z.int().positive(),
  trials: z.int().positive(),
});
export type MetricReport = z.infer<typeof MetricReport>;

/** The mean of each sample, by `<checker>.<name>`: what a baseline holds. */
export const MetricMeans = z.record(z.string(), z.record(z.string(), z.number()));
export type MetricMeans = z.infer<typeof MetricMeans>;

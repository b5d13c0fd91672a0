/** A finished trial as it is stored, with its whole trace. */
import { z } from 'zod';
import { TrialResult } from '../../scenario/result.ts';
import { TraceLine } from '../../scenario/trace.ts';
import { TrialCalls } from '../../scenario/trial-calls.ts';

/** The shape on disk. `tools` were called in it; `detail` is the reason of an early stop. */
export const StoredTrial = z.strictObject({
  version: z.literal(1),
  inputs: z.string(),
  /** The worker that played it, where several share the trials. */
  worker: z.string().optional(),
  result: TrialResult,
  tools: z.array(z.string()),
  detail: z.string().optional(),
  lines: z.array(TraceLine),
  calls: TrialCalls.optional(),
  /** Versions of what played and judged it; missing in trials of earlier versions. */
  judging: z.record(z.string(), z.string()).optional(),
});
export type FinishedTrial = Omit<z.infer<typeof StoredTrial>, 'version' | 'inputs' | 'worker'>;

/** A finished trial as it is remembered, with the whole of its trace. */
import { z } from 'zod';
import { TrialResult } from '../../scenario/result.ts';
import { TraceLine } from '../../scenario/trace.ts';

/** Also the shape on disk. `tools` were called in it; `detail` says why it stopped before its end. */
export const StoredTrial = z.strictObject({
  version: z.literal(1),
  inputs: z.string(),
  /** Who played it, where several workers share the trials. */
  worker: z.string().optional(),
  result: TrialResult,
  tools: z.array(z.string()),
  detail: z.string().optional(),
  lines: z.array(TraceLine),
});
export type FinishedTrial = Omit<z.infer<typeof StoredTrial>, 'version' | 'inputs' | 'worker'>;

/** Trials that an evaluation finished before it was killed: found again by the digest of all that they depend on. */
import { z } from 'zod';
import { TrialResult } from '../scenario/result.ts';
import { TraceLine } from '../scenario/trace.ts';

/** Where they are kept beside the paid calls of the same step. */
export type TrialMemory = {
  recall(name: string): Promise<unknown>;
  /** Contract: durable when resolved. */
  remember(name: string, value: unknown): Promise<void>;
};

/** Also the shape on disk. `tools` were called in it; `detail` says why it stopped before its end. */
const FinishedTrial = z.strictObject({
  version: z.literal(1),
  inputs: z.string(),
  /** Who played it, where several workers share the trials. */
  worker: z.string().optional(),
  result: TrialResult,
  tools: z.array(z.string()),
  detail: z.string().optional(),
  lines: z.array(TraceLine),
});
export type FinishedTrial = Omit<z.infer<typeof FinishedTrial>, 'version' | 'inputs' | 'worker'>;

export async function recallTrial(
  memory: TrialMemory | undefined,
  name: string,
  inputs: string,
): Promise<FinishedTrial | undefined> {
  const stored = await memory?.recall(name);
  if (stored === undefined) return undefined;
  if (!FinishedTrial.safeParse(stored).success) return undefined;
  // As it was stored, not as it was parsed: parsing sets keys in another order, and the files must be the same again.
  const {
    version: _version,
    inputs: storedInputs,
    worker: _worker,
    ...finished
  } = stored as z.infer<typeof FinishedTrial>;
  return storedInputs === inputs ? finished : undefined;
}

export async function rememberTrial(
  memory: TrialMemory | undefined,
  name: string,
  inputs: string,
  finished: FinishedTrial,
): Promise<void> {
  await memory?.remember(name, { version: 1, inputs, ...finished });
}

/** Trials that an evaluation finished before it was killed: found again by the digest of all that they depend on. */
import type { z } from 'zod';
import type { FinishedTrial, StoredTrial } from './finished-trial.ts';

/** Where they are kept beside the paid calls of the same step. */
export type TrialMemory = {
  recall(name: string): Promise<unknown>;
  /** Contract: durable when resolved. */
  remember(name: string, value: unknown): Promise<void>;
};

export async function recallTrial(
  memory: TrialMemory | undefined,
  name: string,
  inputs: string,
): Promise<FinishedTrial | undefined> {
  const stored = await memory?.recall(name);
  if (stored === undefined) return undefined;
  // Only who finds one needs to know its shape, and that takes a while to build.
  const { StoredTrial: shape } = await import('./finished-trial.ts');
  if (!shape.safeParse(stored).success) return undefined;
  // As it was stored, not as it was parsed: parsing sets keys in another order, and the files must be the same again.
  const {
    version: _version,
    inputs: storedInputs,
    worker: _worker,
    ...finished
  } = stored as z.infer<typeof StoredTrial>;
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

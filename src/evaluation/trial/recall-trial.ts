/** Stores and recalls the trials that a killed evaluation had finished, by the digest of everything they depend on. */
import type { z } from 'zod';
import type { FinishedTrial, StoredTrial } from './stored-trial.ts';

/** Stores finished trials together with the paid calls of the same step. */
export type TrialMemory = {
  recall(name: string): Promise<unknown>;
  /** Contract: durable when resolved. */
  remember(name: string, value: unknown): Promise<void>;
};

/** `inputs` is the digest: the same name under other inputs is another trial. */
type TrialKey = { name: string; inputs: string };

export async function recallTrial(
  memory: TrialMemory | undefined,
  { name, inputs }: TrialKey,
): Promise<FinishedTrial | undefined> {
  const stored = await memory?.recall(name);
  if (stored === undefined) return undefined;
  // Loaded only when something was found, because building the schema takes a while.
  const { StoredTrial: shape } = await import('./stored-trial.ts');
  if (!shape.safeParse(stored).success) return undefined;
  // Not the parsed value: parsing reorders keys, and the files must be the same again.
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
  { name, inputs }: TrialKey,
  finished: FinishedTrial,
): Promise<void> {
  await memory?.remember(name, { version: 1, inputs, ...finished });
}

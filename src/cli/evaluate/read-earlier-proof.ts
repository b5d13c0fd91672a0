/** Reads the strength of an earlier proof: what `verify-components --json` printed, or the file of an iteration. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError, usageError } from '../../errors.ts';
import { STRENGTH_FILE } from '../../run/layout.ts';
import { ProofStrength } from '../../scenario/proof-strength.ts';

const Printed = z.looseObject({ strength: ProofStrength });

/** Contract: `usage` where there is none, `data_corrupt` for what is no strength or cannot be compared with. */
export async function readEarlierProof(path: string): Promise<ProofStrength> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const file = isFolder ? join(path, STRENGTH_FILE) : path;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw usageError(`${file}: cannot be read. Name what verify-components --json printed, or a ${STRENGTH_FILE}.`, {
      cause,
    });
  });
  const value = parsed(text);
  const strength = ProofStrength.safeParse(value).data ?? Printed.safeParse(value).data?.strength;
  if (strength?.verdicts === undefined)
    throw new HarnessError(
      'data_corrupt',
      `${file}: is no measured proof to compare with. Name what verify-components --json printed, or a ${STRENGTH_FILE}.`,
    );
  return strength;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

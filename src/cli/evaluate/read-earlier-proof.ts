/** Reads the strength of an earlier proof: the output of `verify-components --json`, or the file of an iteration. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readNamedText } from '../../disk/read-named-file.ts';
import { HarnessError } from '../../errors.ts';
import { STRENGTH_FILE } from '../../run/layout.ts';
import { ProofStrength } from '../../scenario/proof-strength.ts';

const Printed = z.looseObject({ strength: ProofStrength });

/** Throws `not_found` when there is no proof, `data_corrupt` when its strength cannot be read or compared. */
export async function readEarlierProof(path: string): Promise<ProofStrength> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const file = isFolder ? join(path, STRENGTH_FILE) : path;
  const value = tryParseJson(await readNamedText(file));
  const strength = ProofStrength.safeParse(value).data ?? Printed.safeParse(value).data?.strength;
  if (strength?.verdicts === undefined)
    throw new HarnessError(
      'data_corrupt',
      `${file}: is no measured proof to compare with. Name what verify-components --json printed, or a ${STRENGTH_FILE}.`,
    );
  return strength;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

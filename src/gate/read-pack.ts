/** The frozen review pack of a gate. */
import { HarnessError } from '../errors.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { parseFile } from '../disk/parse-file.ts';
import { ReviewPack } from './rules/review-pack.ts';

/** Contract: `not_found` when there is no such gate yet, `data_corrupt` when its pack cannot be used. */
export async function readPack(run: RunFolder, gate: string): Promise<ReviewPack> {
  const text = await run.read(`gates/${gate}/pack.json`);
  if (text !== undefined) return parseFile(ReviewPack, text, `gates/${gate}/pack.json`);
  const why = `Run ${run.id} has no gate ${gate}: no design was handed in for it yet. See tandem gates list.`;
  throw new HarnessError('not_found', why);
}

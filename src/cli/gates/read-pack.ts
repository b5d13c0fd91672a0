/** The frozen review pack of a gate. */
import { HarnessError } from '../../errors.ts';
import { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { RunFolder } from '../../ports/run-store.ts';

export async function loadReviewPack(run: RunFolder, gate: string): Promise<ReviewPack> {
  const text = await run.read(`gates/${gate}/pack.json`);
  if (text === undefined)
    throw new HarnessError('not_found', `Run ${run.id} has no gate ${gate}. See tandem gates list.`);
  return ReviewPack.parse(JSON.parse(text));
}

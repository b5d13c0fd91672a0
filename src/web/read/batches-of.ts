/** Which batch a run belongs to, by the run's folder; the newest, should several name it. */
import type { ReviewDeps } from '../web-deps.ts';

export async function batchesOf({ batches }: Pick<ReviewDeps, 'batches'>): Promise<ReadonlyMap<string, string>> {
  const oldestFirst = (await batches.list()).toReversed();
  return new Map(oldestFirst.flatMap(({ id, runs }) => runs.map((dir) => [dir, id])));
}

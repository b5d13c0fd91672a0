/** Files that name the same tasks and mean other ones: their rates must not be compared with each other. */
import { taskDigest } from './doubts.ts';
import type { RejudgedSet } from './rejudge.ts';

export type DifferingTasks = { domain: string; files: [string, string]; tasks: string[] };

/** Pairs of files of one domain and one benchmark whose tasks differ under the same id. */
export function differingTasks(sets: readonly RejudgedSet[]): DifferingTasks[] {
  const designs = sets.map(({ file, rows }) => ({
    file,
    domain: rows[0]?.run.domain ?? '',
    dialect: rows[0]?.run.dialect,
    digests: new Map(rows.map(({ run }) => [run.taskId, taskDigest(run)])),
  }));
  return designs.flatMap((one, index) =>
    designs.slice(index + 1).flatMap((other) => {
      if (one.domain === '' || one.domain !== other.domain || one.dialect !== other.dialect) return [];
      const tasks = [...one.digests].flatMap(([id, digest]) =>
        other.digests.has(id) && other.digests.get(id) !== digest ? [id] : [],
      );
      return tasks.length === 0
        ? []
        : [{ domain: one.domain, files: [one.file, other.file] as [string, string], tasks }];
    }),
  );
}

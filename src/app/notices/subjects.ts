/** Lists the subjects of notices: the runs of the project, its batches that have come to rest, and silent workers. */
import { listBatches, type Batch } from '../../batch/batch.ts';
import { runSubject } from '../../gate/notices/run-subjects.ts';
import type { NoticeSubject } from '../../gate/notices/collect-notices.ts';
import type { DueNotice } from '../../gate/notices/due-notices.ts';
import { BOOK, type BookLocation } from '../../gate/notices/notice-book.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { ProjectDeps } from '../open-store.ts';
import type { IndexedRun } from '../../run-folder/run-index.ts';
import { seenWorkers, type SeenWorker } from '../../worker/presence.ts';

/** `runs` are the runs as of the last look. */
export async function noticeSubjects(runs: readonly IndexedRun[], read: ProjectDeps): Promise<NoticeSubject[]> {
  const { shared } = read;
  const batches: DirBatch[] = [];
  for (const batch of await listBatches(read.batches))
    batches.push({ ...batch, dirs: await Promise.all(batch.runs.map((run) => read.batches.dirOf(run))) });
  const inBatch = new Set(batches.flatMap(({ dirs }) => dirs));
  const found = new Map(runs.map((run) => [run.dir, run]));
  const workers = await seenWorkers(read.shared, read.clock);
  const isInBatch = (dir: string): boolean => inBatch.has(dir);
  return [
    ...runs.map((run) => runSubject(run, { ...read, isInBatch })),
    ...batches.flatMap((batch) => batchSubject(batch, { shared, found, nowMs: read.clock.now().getTime() })),
    ...workers.filter(({ isLost }) => isLost).map((worker) => workerSubject(worker, shared)),
  ];
}

const FRESH_MS = 24 * 60 * 60 * 1000;
const MOVING = ['created', 'designing', 'executing', 'awaiting_approval', 'paused'];

type DirBatch = Batch & { dirs: string[] };
type Batches = { shared: SharedFiles; found: ReadonlyMap<string, IndexedRun>; nowMs: number };

/** Returns nothing for a batch with a run that is active, waits, was never begun, or is gone. */
function batchSubject(batch: DirBatch, { shared, found, nowMs }: Batches): NoticeSubject[] {
  const runs = batch.dirs.map((dir) => found.get(dir));
  const rested = runs
    .filter((run) => run !== undefined && !MOVING.includes(run.status))
    .map((run) => run as IndexedRun);
  if (rested.length === 0 || rested.length < runs.length) return [];
  const at =
    rested
      .map((run) => run.at)
      .toSorted()
      .at(-1) ?? '';
  const book = batchBook(shared, batch.id);
  const due = () => Promise.resolve([batchNotice(batch.id, rested, at)]);
  return [{ key: book.path, mark: at, book, isFresh: nowMs - Date.parse(at) < FRESH_MS, due }];
}

export function batchBook(files: SharedFiles, batch: string): BookLocation {
  return { files, path: `batches/${batch}/${BOOK}` };
}

export function workerBook(files: SharedFiles, place: string): BookLocation {
  return { files, path: `${place}/${BOOK}` };
}

function batchNotice(batch: string, runs: readonly IndexedRun[], at: string): DueNotice {
  const counts = [...Map.groupBy(runs, ({ status }) => status)].map(([status, some]) => `${some.length} ${status}`);
  const text = `Batch ${batch} has ended: ${counts.toSorted().join(', ')}.`;
  return { id: `batch.${batch}.ended`, kind: 'batch_ended', batch, title: `Batch ${batch}`, text, at, waits: false };
}

function workerSubject({ worker, seenAt, startedAt, program, place }: SeenWorker, shared: SharedFiles): NoticeSubject {
  const text = `Worker ${worker} (Tandem ${program}) has given no sign of life since ${seenAt}. Other workers take its steps over.`;
  const notice: DueNotice = {
    ...{ id: `worker.${worker}.${startedAt}.lost`, kind: 'worker_lost' as const, worker },
    ...{ title: `Worker ${worker} is lost`, text, at: seenAt, waits: false },
  };
  return {
    key: place,
    mark: seenAt,
    book: workerBook(shared, place),
    isFresh: true,
    due: () => Promise.resolve([notice]),
  };
}

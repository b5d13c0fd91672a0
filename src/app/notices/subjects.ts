/** Lists the subjects of notices: the runs of the project, its batches that have come to rest, silent workers, and the queue. */
import { listBatches, type Batch } from '../../batch/batch.ts';
import { runSubject } from '../../gate/notices/run-subjects.ts';
import type { NoticeSubject, NoticeLinksLookup } from '../../gate/notices/collect-notices.ts';
import type { DueNotice } from '../../gate/notices/due-notices.ts';
import { BOOK, type BookLocation } from '../../gate/notices/notice-book.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { ProjectDeps } from '../open-store.ts';
import { formatCount } from '../../report/text/number-format.ts';
import type { IndexedRun } from '../../run-folder/run-index.ts';
import { listOldestJobs, type OldestJob, seenWorkers, type SeenWorker } from '../../worker/presence.ts';
import { randomBytes } from 'node:crypto';
import type { Reviewers } from '../../config/reviewers.ts';
import type { Clock } from '../../ports/run-store.ts';
import { sealSignIn } from '../../web/guard/sign-in-session.ts';
import { createSigner } from '../../web/guard/signer.ts';

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
    ...queueSubject(await listOldestJobs(read), read),
  ];
}

const FRESH_MS = 24 * 60 * 60 * 1000;
const MOVING = ['created', 'designing', 'executing', 'awaiting_approval', 'paused'];

type DirBatch = Batch & { dirs: string[] };
type Batches = { shared: SharedFiles; found: ReadonlyMap<string, IndexedRun>; nowMs: number };

/** Returns nothing for a batch with a run that is active, waits, was never begun, or is gone. */
function batchSubject(batch: DirBatch, { shared, found, nowMs }: Batches): NoticeSubject[] {
  const runs = batch.dirs.map((dir) => found.get(dir));
  const rested = runs.filter((run) => run !== undefined).filter(({ status }) => !MOVING.includes(status));
  if (rested.length === 0 || rested.length < runs.length) return [];
  const [at = ''] = rested.map((run) => run.at).toSorted((one, other) => (one < other ? 1 : -1));
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
  const book = workerBook(shared, place);
  return { key: place, mark: seenAt, book, isFresh: true, due: () => Promise.resolve([notice]) };
}

/** A job that has waited for this long is announced, in milliseconds. */
const WAITS_LONG_MS = 30 * 60 * 1000;

/** One notice for a lane and the hour since which its oldest job waits, so that a long queue is no stream of messages. */
function queueSubject(jobs: readonly OldestJob[], { shared, clock }: ProjectDeps): NoticeSubject[] {
  const nowMs = clock.now().getTime();
  const due = jobs.flatMap(({ lane, since }): DueNotice[] => {
    const waitsMs = nowMs - Date.parse(since);
    if (waitsMs < WAITS_LONG_MS) return [];
    const minutes = formatCount(Math.floor(waitsMs / 60_000), 'minute');
    const text = `A job of ${lane} has waited for ${minutes}. tandem queue ls says for what; tandem worker --${lane} starts another worker.`;
    const id = `queue.${lane}.${since.slice(0, 13)}.waits`;
    return [{ id, kind: 'jobs_wait', title: `The queue of ${lane}`, text, at: since, waits: true }];
  });
  const mark = due.map(({ id }) => id).join(' ');
  const book = queueBook(shared);
  return due.length === 0 ? [] : [{ key: book.path, mark, book, isFresh: true, due: () => Promise.resolve(due) }];
}

export function queueBook(files: SharedFiles): BookLocation {
  return { files, path: `scenarios/.queue/${BOOK}` };
}

type LinkOptions = { base: string; reviewers: Reviewers; secret: string | undefined; clock: Clock };

/** A link works like a sign-in, so it expires after this many milliseconds. */
const LINK_MS = 7 * 24 * 60 * 60 * 1000;

/** Creates the links of notices: one address for all, and for each listed reviewer a link bound to gate and design. */
export function createLinks({ base, reviewers, secret, clock }: LinkOptions): NoticeLinksLookup {
  const signer = secret === undefined ? undefined : createSigner(secret);
  return (notice) => {
    const { run, scenario, gate, digest = '' } = notice;
    const place = formatPath(notice);
    const own = (name: string): { url: string; signed: boolean } => {
      // Only a link to one design is sent, because it must be bound to that design.
      if (signer === undefined || gate === undefined || digest === '') return { url: base + place, signed: false };
      const until = clock.now().getTime() + LINK_MS;
      const id = randomBytes(12).toString('base64url');
      const sealed = sealSignIn({ id, name, only: { gate: `${run}.${gate}`, digest }, until }, signer);
      return { url: `${base}/sign-in?${new URLSearchParams({ token: sealed, to: place }).toString()}`, signed: true };
    };
    const people = reviewers.reviewers.filter(
      ({ role, scenarios }) =>
        role !== 'viewer' && (scenarios === undefined || scenario === undefined || scenarios.includes(scenario)),
    );
    return {
      url: base + place,
      recipients: people.flatMap(({ name, email }) => (email === undefined ? [] : [{ name, email, ...own(name) }])),
    };
  };
}

function formatPath({ run, gate, batch }: DueNotice): string {
  if (batch !== undefined) return `/batches/${encodeURIComponent(batch)}`;
  if (run === undefined) return '/notices';
  const own = `/runs/${encodeURIComponent(run)}`;
  return gate === undefined ? own : `${own}/gates/${encodeURIComponent(gate)}`;
}

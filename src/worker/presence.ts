/** The list of workers: each has a file that it renews, and removes when it stops in order. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { parseOrNone } from '../disk/parse-file.ts';
import type { Clock, ReadDeps } from '../ports/run-store.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { readHandOverMark } from '../run-folder/hand-over.ts';
import { getRunIndex } from '../run-folder/run-index.ts';

export const WorkerPresence = z.strictObject({
  version: z.literal(1),
  worker: z.string(),
  /** The version of Tandem. */
  program: z.string(),
  lanes: z.array(z.string()),
  startedAt: z.string(),
  seenAt: z.string(),
  /** Since when the oldest job of each lane waits in the queue; only lanes in which one does. */
  waits: z.array(z.strictObject({ lane: z.string(), since: z.string() })).optional(),
});
export type WorkerPresence = z.infer<typeof WorkerPresence>;

const FILE = 'worker.json';
/** Longer than any pause between two renewals plus the difference of clocks. */
const LOST_MS = 120_000;
/** A worker lost for longer than this is no longer reported. */
const FORGOTTEN_MS = 48 * 60 * 60 * 1000;

/** The folder below the project that has a folder for each worker. */
const WORKERS = 'scenarios/.workers';
const toWorkerFolder = (worker: string): string => `${WORKERS}/${worker}`;

/** The absolute path on this machine. */
export const workersFolder = (project: string): string => join(project, WORKERS);

export type Presence = {
  /** Renews the file, as a sign of life. */
  renew: (waits?: WorkerPresence['waits']) => Promise<void>;
  /** Removes the worker after an orderly stop, so that it is not reported as lost. */
  leave: () => Promise<void>;
};

export function announceWorker(
  shared: SharedFiles,
  about: Pick<WorkerPresence, 'worker' | 'program' | 'lanes'>,
  clock: Clock,
): Presence {
  const place = toWorkerFolder(about.worker);
  const startedAt = clock.now().toISOString();
  return {
    renew: (waits = []) => {
      const seenAt = clock.now().toISOString();
      const said: WorkerPresence = { version: 1, ...about, startedAt, seenAt, ...(waits.length > 0 && { waits }) };
      return shared.write(`${place}/${FILE}`, `${JSON.stringify(said)}\n`);
    },
    leave: () => shared.remove(place),
  };
}

/** `place` is the worker's folder in the project. `isDraining`: it takes no more work but has not left yet. */
export type SeenWorker = WorkerPresence & { place: string; isLost: boolean; isDraining: boolean };

/** Lists every worker that is there or was lost lately; removes the files of older ones. */
export async function seenWorkers(shared: SharedFiles, clock: Clock): Promise<SeenWorker[]> {
  const nowMs = clock.now().getTime();
  const seen: SeenWorker[] = [];
  const files = await shared.list(WORKERS);
  for (const [path, text] of files) {
    const [name = '', file, ...deeper] = path.split('/');
    const worker = file === FILE && deeper.length === 0 ? parseOrNone(WorkerPresence, text) : undefined;
    if (worker === undefined) continue;
    const place = toWorkerFolder(name);
    const silentMs = nowMs - Date.parse(worker.seenAt);
    if (silentMs > FORGOTTEN_MS) await shared.remove(place);
    else seen.push({ ...worker, place, isLost: silentMs > LOST_MS, isDraining: files.has(`${name}/${DRAIN}`) });
  }
  return seen;
}

const DRAIN = 'drain';
const DRAIN_LOOK_MS = 2_000;

/** The worker notices within seconds: it takes nothing more, finishes its jobs, and leaves. */
export async function askToDrain(shared: SharedFiles, worker: string): Promise<void> {
  await shared.write(`${toWorkerFolder(worker)}/${DRAIN}`, 'drain\n');
}

/** Never resolves once `signal` has fired. */
export async function drainAsked(shared: SharedFiles, worker: string, signal: AbortSignal): Promise<void> {
  // An unreadable file counts as no request.
  const request = () => shared.read(`${toWorkerFolder(worker)}/${DRAIN}`).catch(() => undefined);
  while ((await request()) === undefined)
    await delay(DRAIN_LOOK_MS, undefined, { signal, ref: false }).catch(() => new Promise(() => undefined));
}

export type OldestJob = { lane: string; since: string };

/** Without a living worker, every run that was handed over waits since its last event. */
export async function listOldestJobs({
  store,
  shared,
  clock,
}: Pick<ReadDeps, 'store' | 'clock'> & { shared: SharedFiles }): Promise<OldestJob[]> {
  const alive = (await seenWorkers(shared, clock)).filter(({ isLost }) => !isLost);
  const jobs = alive.length > 0 ? alive.flatMap(({ waits = [] }) => waits) : await listUnattended(store);
  const oldest = new Map<string, string>();
  for (const { lane, since } of jobs) if (since < (oldest.get(lane) ?? '~')) oldest.set(lane, since);
  return [...oldest].map(([lane, since]) => ({ lane, since }));
}

async function listUnattended(store: ReadDeps['store']): Promise<OldestJob[]> {
  const { runs } = await getRunIndex(store).look();
  const jobs = runs.map(async ({ dir, lane, at }): Promise<OldestJob[]> => {
    if (lane === undefined || (await readHandOverMark(await store.open(dir))) === undefined) return [];
    return [{ lane, since: at }];
  });
  return (await Promise.all(jobs)).flat();
}

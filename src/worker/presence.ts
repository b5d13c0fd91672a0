/** Which workers there are: a file of each that it renews, and takes away when it stops in order. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { parseOrNone } from '../disk/parse-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { SharedFiles } from '../ports/shared-files.ts';

export const WorkerPresence = z.strictObject({
  version: z.literal(1),
  worker: z.string(),
  /** Of Tandem. */
  program: z.string(),
  lanes: z.array(z.string()),
  startedAt: z.string(),
  seenAt: z.string(),
});
export type WorkerPresence = z.infer<typeof WorkerPresence>;

const FILE = 'worker.json';
/** Longer than any pause between two signs of life, and than the difference of clocks. */
const LOST_MS = 120_000;
/** Of a worker that was lost so long ago nobody needs to hear any more. */
const FORGOTTEN_MS = 48 * 60 * 60 * 1000;

/** Below the project; a folder for each worker. */
const WORKERS = 'scenarios/.workers';
const placeOf = (worker: string): string => `${WORKERS}/${worker}`;

/** On this machine's disk. */
export const workersFolder = (project: string): string => join(project, WORKERS);

export type Presence = {
  /** Still here. */
  renew: () => Promise<void>;
  /** Stopped in order: nobody misses it. */
  leave: () => Promise<void>;
};

export function announceWorker(
  shared: SharedFiles,
  about: Pick<WorkerPresence, 'worker' | 'program' | 'lanes'>,
  clock: Clock,
): Presence {
  const place = placeOf(about.worker);
  const startedAt = clock.now().toISOString();
  return {
    renew: () => {
      const said: WorkerPresence = { version: 1, ...about, startedAt, seenAt: clock.now().toISOString() };
      return shared.write(`${place}/${FILE}`, `${JSON.stringify(said)}\n`);
    },
    leave: () => shared.remove(place),
  };
}

/** `place`: where its files are among those of the project. `isDraining`: it takes no more work, and has not left yet. */
export type SeenWorker = WorkerPresence & { place: string; isLost: boolean; isDraining: boolean };

/** Of every worker that is there, or was lost lately; older ones are swept. */
export async function seenWorkers(shared: SharedFiles, clock: Clock): Promise<SeenWorker[]> {
  const nowMs = clock.now().getTime();
  const seen: SeenWorker[] = [];
  const files = await shared.list(WORKERS);
  for (const [path, text] of files) {
    const [name = '', file, ...deeper] = path.split('/');
    const worker = file === FILE && deeper.length === 0 ? parseOrNone(WorkerPresence, text) : undefined;
    if (worker === undefined) continue;
    const place = placeOf(name);
    const silentMs = nowMs - Date.parse(worker.seenAt);
    if (silentMs > FORGOTTEN_MS) await shared.remove(place);
    else seen.push({ ...worker, place, isLost: silentMs > LOST_MS, isDraining: files.has(`${name}/${DRAIN}`) });
  }
  return seen;
}

const DRAIN = 'drain';
const DRAIN_LOOK_MS = 2_000;

/** The worker sees it within seconds: it takes nothing more, ends what runs, and leaves. */
export async function askToDrain(shared: SharedFiles, worker: string): Promise<void> {
  await shared.write(`${placeOf(worker)}/${DRAIN}`, 'drain\n');
}

/** Never resolves once `signal` has fired. */
export async function drainAsked(shared: SharedFiles, worker: string, signal: AbortSignal): Promise<void> {
  // If its file cannot be read, there is no request.
  const isAsked = () =>
    shared.read(`${placeOf(worker)}/${DRAIN}`).then(
      (text) => text !== undefined,
      () => false,
    );
  while (!(await isAsked()))
    await delay(DRAIN_LOOK_MS, undefined, { signal, ref: false }).catch(() => new Promise(() => undefined));
}

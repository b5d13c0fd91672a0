/** Which workers there are: a file of each that it renews, and takes away when it stops in order. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { atomicWrite } from '../disk/atomic-write.ts';
import { onDisk, valueOnErrno } from '../disk/disk-fault.ts';
import { parseOrNone } from '../disk/parse-file.ts';
import type { Clock } from '../ports/clock.ts';

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
export const workersFolder = (project: string): string => join(project, 'scenarios/.workers');

export type Presence = {
  /** Still here. */
  renew: () => Promise<void>;
  /** Stopped in order: nobody misses it. */
  leave: () => Promise<void>;
};

export function announceWorker(
  folder: string,
  about: Pick<WorkerPresence, 'worker' | 'program' | 'lanes'>,
  clock: Clock,
): Presence {
  const dir = join(folder, about.worker);
  const startedAt = clock.now().toISOString();
  return {
    renew: () =>
      onDisk(`Writing ${join(dir, FILE)}`, async () => {
        await mkdir(dir, { recursive: true });
        const said: WorkerPresence = { version: 1, ...about, startedAt, seenAt: clock.now().toISOString() };
        await atomicWrite(join(dir, FILE), `${JSON.stringify(said)}\n`);
      }),
    leave: () => onDisk(`Removing ${dir}`, () => rm(dir, { recursive: true, force: true })),
  };
}

/** `isDraining`: it was asked to take nothing more, and has not left yet. */
export type SeenWorker = WorkerPresence & { dir: string; isLost: boolean; isDraining: boolean };

/** Of every worker that is there, or was lost lately; older ones are swept. */
export async function seenWorkers(folder: string, clock: Clock): Promise<SeenWorker[]> {
  const nowMs = clock.now().getTime();
  return onDisk(`Listing ${folder}`, async () => {
    const names = await valueOnErrno('ENOENT', [], readdir(folder));
    const seen = await Promise.all(
      names.map(async (name): Promise<SeenWorker[]> => {
        const dir = join(folder, name);
        const text = await valueOnErrno('ENOENT', undefined, readFile(join(dir, FILE), 'utf8'));
        const worker = text === undefined ? undefined : parseOrNone(WorkerPresence, text);
        if (worker === undefined) return [];
        const silentMs = nowMs - Date.parse(worker.seenAt);
        if (silentMs > FORGOTTEN_MS) await rm(dir, { recursive: true, force: true });
        if (silentMs > FORGOTTEN_MS) return [];
        const isDraining = (await valueOnErrno('ENOENT', undefined, readFile(join(dir, DRAIN)))) !== undefined;
        return [{ ...worker, dir, isLost: silentMs > LOST_MS, isDraining }];
      }),
    );
    return seen.flat();
  });
}

const DRAIN = 'drain';
const DRAIN_LOOK_MS = 2_000;

/** The worker sees it within seconds: it takes nothing more, ends what runs, and leaves. */
export async function askToDrain(folder: string, worker: string): Promise<void> {
  await onDisk(`Asking ${worker} to drain`, () => atomicWrite(join(folder, worker, DRAIN), 'drain\n'));
}

/** `dir`: the worker's own folder. Never resolves once `signal` has fired. */
export async function drainAsked(dir: string, signal: AbortSignal): Promise<void> {
  while ((await valueOnErrno('ENOENT', undefined, readFile(join(dir, DRAIN)))) === undefined)
    await delay(DRAIN_LOOK_MS, undefined, { signal, ref: false }).catch(() => new Promise(() => undefined));
}

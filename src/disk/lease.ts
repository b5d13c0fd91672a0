/** One process of many does a thing for a while: a file that names it and says until when. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../ports/clock.ts';
import { atomicWrite, createExclusive, TEMPORARY } from './atomic-write.ts';
import { onDisk, valueOnErrno } from './disk-fault.ts';
import { parseOrNone } from './parse-file.ts';

export type Lease = {
  /** True when it is ours now; calling it again renews it. */
  mine: () => Promise<boolean>;
  /** Another process may take it at once. */
  release: () => Promise<void>;
};

const Holding = z.strictObject({ version: z.literal(1), holder: z.string(), until: z.string() });

/** `lastsMs` should far exceed the clock difference of machines and the time between two calls of `mine`. */
export function openLease(
  path: string,
  clock: Clock,
  { lastsMs, holder = randomBytes(8).toString('hex') }: { lastsMs: number; holder?: string },
): Lease {
  const text = (): string => {
    const until = new Date(clock.now().getTime() + lastsMs).toISOString();
    return `${JSON.stringify({ version: 1, holder, until })}\n`;
  };
  const found = () => valueOnErrno('ENOENT', undefined, readFile(path, 'utf8'));
  return {
    mine: () =>
      onDisk(`Asking for the lease ${path}`, async () => {
        const stored = await found();
        if (stored === undefined) return createExclusive(path, text());
        const holding = parseOrNone(Holding, stored);
        const leftMs = Date.parse(holding?.until ?? '') - clock.now().getTime();
        if (holding?.holder === holder) {
          if (leftMs < lastsMs / 2) await atomicWrite(path, text());
          return true;
        }
        if (leftMs > 0) return false;
        return (await takeAway(path, stored)) && createExclusive(path, text());
      }),
    release: () =>
      onDisk(`Giving the lease ${path} back`, async () => {
        const stored = await found();
        if (stored !== undefined && parseOrNone(Holding, stored)?.holder === holder) await takeAway(path, stored);
      }),
  };
}

/** Removes only the lease that was read: one that another process has made since is put back. */
async function takeAway(path: string, seen: string): Promise<boolean> {
  const aside = join(dirname(path), `${TEMPORARY}${randomBytes(8).toString('hex')}`);
  if ((await valueOnErrno('ENOENT', 'gone' as const, rename(path, aside))) === 'gone') return false;
  const taken = await readFile(aside, 'utf8');
  if (taken !== seen) await createExclusive(path, taken);
  await rm(aside, { force: true });
  return taken === seen;
}

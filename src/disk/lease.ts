/** A lease: a file that names the one process that does a thing, and says until when. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../ports/run-store.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { parseOrNone } from './parse-file.ts';

export type Lease = {
  /** True when this process holds the lease now; calling it again renews the lease. */
  mine: () => Promise<boolean>;
  /** Releases the lease, so that another process may take it at once. */
  release: () => Promise<void>;
};

const Holding = z.strictObject({ version: z.literal(1), holder: z.string(), until: z.string() });

/** `lastsMs` should far exceed the clock difference of the machines and the time between two calls of `mine`. */
export function openLease(
  { files, path }: { files: SharedFiles; path: string },
  clock: Clock,
  { lastsMs, holder = randomBytes(8).toString('hex') }: { lastsMs: number; holder?: string },
): Lease {
  const text = (): string => {
    const until = new Date(clock.now().getTime() + lastsMs).toISOString();
    return `${JSON.stringify({ version: 1, holder, until })}\n`;
  };
  return {
    mine: async () => {
      const stored = await files.read(path);
      if (stored === undefined) return files.create(path, text());
      const holding = parseOrNone(Holding, stored);
      const leftMs = Date.parse(holding?.until ?? '') - clock.now().getTime();
      if (holding?.holder === holder) {
        if (leftMs < lastsMs / 2) await files.write(path, text());
        return true;
      }
      if (leftMs > 0) return false;
      return (await files.take(path, stored)) && files.create(path, text());
    },
    release: async () => {
      const stored = await files.read(path);
      if (stored !== undefined && parseOrNone(Holding, stored)?.holder === holder) await files.take(path, stored);
    },
  };
}

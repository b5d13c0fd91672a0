/** Which job queue carries the runs: the one in this process, or one that several workers share (TANDEM_QUEUE). */
import { z } from 'zod';
import { sharedAddress, type SharedAddress } from './shared-address.ts';

/** `queue:` of config/default.yaml; the address may also come from TANDEM_QUEUE, which wins. */
export const QueueConfig = z.strictObject({
  /** `redis://…`, `rediss://…`, `postgres://…`; absent: the queue in this process. */
  url: z.string().optional(),
  /** A worker that shows no sign of life for that long has lost its job; also the longest pause that it may make. */
  lock_ms: z.int().min(1000),
  /** How often workers look for jobs whose worker died. */
  stalled_ms: z.int().min(500),
  /** How often every run is checked for its next step, independent of the queue. */
  reconcile_ms: z.int().min(500),
  /** How often one job may be started at all, deaths of workers included: the ceiling on paid starts. */
  most_starts: z.int().positive(),
  /** Steps, and trials of samples, that run at the same time over all workers; 0 is no limit. */
  at_once: z.strictObject({
    init: z.int().nonnegative(),
    execute: z.int().nonnegative(),
    samples: z.int().nonnegative().default(0),
  }),
});
export type QueueConfig = z.infer<typeof QueueConfig>;

export type QueueAddress = { kind: 'in-process' } | SharedAddress;

/** Contract: `usage` for an address that cannot be one; a password is never part of a message. */
export function chooseQueue(
  config: { queue: QueueConfig },
  env: Readonly<Record<string, string | undefined>>,
): QueueAddress {
  const text = env['TANDEM_QUEUE']?.trim() || config.queue.url;
  if (text === undefined) return { kind: 'in-process' };
  return sharedAddress('TANDEM_QUEUE', text, 'redis://host:6379, rediss://… or postgres://user@host/database');
}

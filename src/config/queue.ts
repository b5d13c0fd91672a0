/** Which job queue carries the runs: the one in this process, or one that several workers share (TANDEM_QUEUE). */
import { z } from 'zod';
import { PLUGIN_PREFIX, type PluginOptions } from '../ports/plugins/plugins.ts';
import { sharedAddress, type SharedAddress } from './shared-address.ts';

/** `queue:` of config/default.yaml; the address may also come from TANDEM_QUEUE, which wins. */
export const QueueConfig = z.strictObject({
  /** `redis://…`, `rediss://…`, `postgres://…`; absent: the queue in this process. */
  url: z.string().optional(),
  /** A queue of the project's `tandem.config.ts`, in the place of an address. */
  plugin: z.string().optional(),
  options: z.record(z.string(), z.unknown()).optional(),
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

/** `space`: as for servers; a plugin gets the project's folder instead. */
export type PluginAddress = { kind: 'plugin'; name: string; options: PluginOptions; shown: string; space: string };
export type QueueAddress = { kind: 'in-process' } | SharedAddress | PluginAddress;

/** Contract: `usage` for an address that cannot be one; a password is never part of a message. */
export function chooseQueue(
  config: { queue: QueueConfig },
  env: Readonly<Record<string, string | undefined>>,
): QueueAddress {
  const { url, plugin, options = {} } = config.queue;
  const named = plugin === undefined ? url : `${PLUGIN_PREFIX}${plugin}`;
  const text = env['TANDEM_QUEUE']?.trim() || named;
  if (text === undefined) return { kind: 'in-process' };
  if (text.startsWith(PLUGIN_PREFIX)) {
    const name = text.slice(PLUGIN_PREFIX.length);
    return { kind: 'plugin', name, options: name === plugin ? options : {}, shown: text, space: 'this project' };
  }
  return sharedAddress(
    'TANDEM_QUEUE',
    text,
    'redis://host:6379, rediss://…, postgres://user@host/database, or plugin:<name>',
  );
}

/** Checks for `tandem doctor` the servers that machines share: the queue of TANDEM_QUEUE, the store of TANDEM_STORE. */
import { openStore } from '../../app/open-store.ts';
import { openShared } from '../../app/worker-queue.ts';
import type { Home } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { chooseQueue } from '../../config/schema.ts';
import { describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Io } from '../command-context.ts';

/** `missing` affects only optional features; `broken` affects required ones. */
export type DoctorFinding = { name: string; state: 'ok' | 'missing' | 'broken'; detail: string; remedy?: string };

/** A check that cannot be made is a broken part. */
export async function reportCheck(
  name: string,
  check: () => Promise<DoctorFinding[]>,
  remedy?: string,
): Promise<DoctorFinding[]> {
  try {
    return await check();
  } catch (error) {
    return [omitUndefined({ name, state: 'broken' as const, detail: describeError(error), remedy })];
  }
}

/** Empty when each process has a queue of its own. */
export async function checkSharedQueue(home: Home, io: Io): Promise<DoctorFinding[]> {
  const name = 'queue';
  return reportCheck(name, async () => {
    const config = await loadConfig(home, {});
    const address = chooseQueue(config, io.env);
    if (address.kind === 'in-process') return [];
    const queue = await openShared(address, { config, progress: () => undefined });
    try {
      const fault = await queue.settingsFault();
      const detail = `${address.shown} answers`;
      return [
        fault === undefined
          ? { name, state: 'ok', detail }
          : { name, state: 'missing', detail: `${detail}, but ${fault}` },
      ];
    } finally {
      await queue.close();
    }
  });
}

/** Waits for an unreachable store as long as every command does. */
export async function checkSharedStore(home: Home, shown: string): Promise<DoctorFinding> {
  const name = 'store';
  const why = await openStore(home).store.server?.awaited().catch(describeError);
  return why === undefined
    ? { name, state: 'ok', detail: `${shown} answers, and runs live there` }
    : { name, state: 'broken', detail: why };
}

/** Repeats what a lost connection to PostgreSQL interrupted, for as long as the store of the runs does the same. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../errors.ts';
import { isOutage } from '../postgres/store-errors.ts';
import { PATIENCE_MS, WAITS_MS } from '../postgres/statement-retry.ts';
import type { BackendAddress } from './backend.ts';

export type ServerPatience = {
  address: Pick<BackendAddress, 'kind'> & { shown: string };
  onNotice: (detail: string) => void;
  signal?: AbortSignal;
  patienceMs?: number;
};

/** Contract: `work` may be done twice. A driver of Redis reconnects by itself, so its errors are final. */
export async function waitForServer<Value>(
  work: () => Promise<Value>,
  { address, onNotice, signal, patienceMs = PATIENCE_MS }: ServerPatience,
): Promise<Value> {
  const since = Date.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      const isPassing = address.kind === 'postgres' && isOutage(cause);
      if (!isPassing || signal?.aborted === true || Date.now() - since > patienceMs) throw error;
      // The first try again follows at once: most connections are lost alone.
      if (tries === 1)
        onNotice(`the queue ${address.shown} is away: ${describeError(cause)}. Waiting for it; nothing is lost.`);
      await delay(WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]);
    }
  }
}

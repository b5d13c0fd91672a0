/** Servers that are away: waiting for them no longer than makes sense, and reporting an outage once, not hundreds of times a second. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../errors.ts';
import { isOutage } from '../postgres/store-errors.ts';
import { PATIENCE_MS, WAITS_MS } from '../postgres/statement-retry.ts';
import type { BackendAddress } from './backend.ts';

export type OutageOptions = {
  /** The name of the server in messages. */
  shown: string;
  /** Rejects, or does not answer, while the server is away. */
  probe: () => Promise<unknown>;
  tell: (message: string) => void;
  signal: AbortSignal;
  everyMs?: number;
  answerMs?: number;
};

/** Returns a function that takes every error; an error while the server answers is reported as it is. */
export function createOutageReporter(options: OutageOptions): (error: unknown) => void {
  const { shown, probe, tell, signal, everyMs = 1_000, answerMs = 2_000 } = options;
  let isWatching = false;

  const watch = async (fault: unknown): Promise<void> => {
    const since = Date.now();
    if (await withTimeout(answerMs, probe())) return tell(`the queue ${shown}: ${describeError(fault)}`);
    if (signal.aborted) return;
    tell(`the queue ${shown} is away: ${describeError(fault)}. Waiting for it; nothing is lost, every run is on disk.`);
    while (!signal.aborted) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted || !(await withTimeout(answerMs, probe()))) continue;
      tell(`the queue ${shown} answers again, after ${Math.ceil((Date.now() - since) / 1000)} s.`);
      return;
    }
  };

  return (fault) => {
    if (isWatching || signal.aborted) return;
    isWatching = true;
    void watch(fault)
      .catch(() => undefined)
      .finally(() => (isWatching = false));
  };
}

const NOTICE_MS = 10_000;
const MOST_NOTICES = 100;

/** Passes on each message at most once per `NOTICE_MS`, because an unreachable server causes many errors a second. */
export function limitNotices(tell: (message: string) => void): (message: string) => void {
  const shownAt = new Map<string, number>();
  return (message) => {
    if (Date.now() - (shownAt.get(message) ?? 0) < NOTICE_MS) return;
    if (shownAt.size > MOST_NOTICES) shownAt.clear();
    shownAt.set(message, Date.now());
    tell(message);
  };
}

/** True when the work was done well before the time was over. */
export async function withTimeout(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const done = work
    .then(
      () => true,
      () => false,
    )
    .finally(() => over.abort());
  return Promise.race([done, delay(ms, false, { signal: over.signal }).catch(() => done)]);
}

type ServerPatience = {
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

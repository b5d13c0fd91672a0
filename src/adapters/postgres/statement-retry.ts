/** Retries statements while the server is away, and reports the outage once. */
import { setTimeout as delay } from 'node:timers/promises';
import { isHarnessError, describeError } from '../../errors.ts';
import { storeUnreachable, isOutage, isRace, toStoreError } from './store-errors.ts';

export const PATIENCE_MS = 60_000;
export const WAITS_MS = [50, 200, 500, 1000, 2000];

type StatementRetryOptions = {
  shown: string;
  onNotice?: ((detail: string) => void) | undefined;
  /** How long a statement is retried. */
  patienceMs?: number | undefined;
};

export type StatementRetry = {
  patiently: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Describes the outage that statements wait for; undefined while the server answers. */
  awaited: () => string | undefined;
};

/** Retries while the server is away, and reports it once, however many statements wait. */
export function createStatementRetry({
  shown,
  onNotice = () => undefined,
  patienceMs = PATIENCE_MS,
}: StatementRetryOptions): StatementRetry {
  let waiting = 0;
  let away: string | undefined;
  const answered = (): void => {
    if (away === undefined || waiting > 0) return;
    away = undefined;
    onNotice(`the store ${shown} answers again.`);
  };
  const wait = (why: string): void => {
    waiting += 1;
    if (away === undefined) onNotice(`the store ${shown} is away: ${why}. Waiting for it; nothing is lost.`);
    away ??= why;
  };
  const patiently = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const since = Date.now();
    let waits = false;
    try {
      for (let tries = 0; ; tries += 1) {
        try {
          const result = await work();
          if (waits) waiting -= 1;
          waits = false;
          answered();
          return result;
        } catch (error) {
          if (isHarnessError(error)) throw error;
          if (!isOutage(error)) throw toStoreError(error, shown);
          if (Date.now() - since > patienceMs) throw storeUnreachable(error, shown);
          if (!waits && !isRace(error)) {
            waits = true;
            wait(describeError(error));
          }
          await delay(WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]);
        }
      }
    } finally {
      if (waits) waiting -= 1;
    }
  };
  return { patiently, awaited: () => away };
}

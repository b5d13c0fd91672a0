/** Statements outlast a server that is away for a while; what they wait for is said once. */
import { setTimeout as delay } from 'node:timers/promises';
import { isHarnessError, messageOf } from '../../errors.ts';
import { gone, isOutage, isRace, refused } from './store-errors.ts';

const PATIENCE_MS = 60_000;
const WAITS_MS = [50, 200, 500, 1000, 2000];

type PatienceOptions = {
  shown: string;
  onNotice?: ((detail: string) => void) | undefined;
  /** How long a statement is tried again. */
  patienceMs?: number | undefined;
};

export type Patience = {
  patiently: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** What statements wait for; undefined while the server answers. */
  awaited: () => string | undefined;
};

/** Tries again while the server is away, and says so once, however many statements wait. */
export function patience({ shown, onNotice = () => undefined, patienceMs = PATIENCE_MS }: PatienceOptions): Patience {
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
          if (!isOutage(error)) throw refused(error, shown);
          if (Date.now() - since > patienceMs) throw gone(error, shown);
          if (!waits && !isRace(error)) {
            waits = true;
            wait(messageOf(error));
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

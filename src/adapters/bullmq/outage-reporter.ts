/** Reports an outage of a server once when it begins and once when it ends, instead of hundreds of errors a second. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../errors.ts';
import { withTimeout } from './with-timeout.ts';

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
    watch(fault).then(
      () => (isWatching = false),
      () => (isWatching = false),
    );
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

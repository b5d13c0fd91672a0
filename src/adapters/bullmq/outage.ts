/** A server that is away is named once, and once more when it answers again: hundreds of errors a second say nothing more. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import { withTimeout } from './with-timeout.ts';

export type OutageOptions = {
  /** The server, as people know it. */
  shown: string;
  /** Rejects, or does not answer, while it is away. */
  probe: () => Promise<unknown>;
  tell: (message: string) => void;
  signal: AbortSignal;
  everyMs?: number;
  answerMs?: number;
};

/** Takes every error; one that comes while the server answers is reported as it is. */
export function outages(options: OutageOptions): (error: unknown) => void {
  const { shown, probe, tell, signal, everyMs = 1_000, answerMs = 2_000 } = options;
  let isWatching = false;

  const watch = async (fault: unknown): Promise<void> => {
    const since = Date.now();
    if (await withTimeout(answerMs, probe())) return tell(`the queue ${shown}: ${messageOf(fault)}`);
    if (signal.aborted) return;
    tell(`the queue ${shown} is away: ${messageOf(fault)}. Waiting for it; nothing is lost, every run is on disk.`);
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

/** An unreachable server causes many errors a second; each message is shown once per `NOTICE_MS`. */
export function sparingly(tell: (message: string) => void): (message: string) => void {
  const shownAt = new Map<string, number>();
  return (message) => {
    if (Date.now() - (shownAt.get(message) ?? 0) < NOTICE_MS) return;
    if (shownAt.size > MOST_NOTICES) shownAt.clear();
    shownAt.set(message, Date.now());
    tell(message);
  };
}

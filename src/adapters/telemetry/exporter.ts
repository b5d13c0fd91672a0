/** Sends finished spans to an OTLP receiver: in batches, in the background, bounded, and never at a run's expense. */
import { setTimeout as sleep } from 'node:timers/promises';
import { otlpRequest, type FinishedSpan } from './otlp.ts';
import { originOf, postOtlp } from './post-otlp.ts';
import type { TelemetrySettings } from './settings.ts';

export type Exporter = {
  add: (span: FinishedSpan) => void;
  /** Sends what is left; resolves in bounded time, and never rejects. */
  close: () => Promise<void>;
};

const EVERY_MS = 2000;
const BATCH = 256;
/** Beyond this the newest spans are dropped: a receiver that is down must not fill the memory. */
const MOST_WAITING = 8192;
/** A command must not wait at its end for a receiver that is down. */
const LAST_TRIES = 3;
const LAST_PAUSE_MS = 200;

export function createExporter(settings: TelemetrySettings, complain: (text: string) => void): Exporter {
  const waiting: FinishedSpan[] = [];
  let dropped = 0;
  let complained = false;
  let sending: Promise<void> = Promise.resolve();

  const failed = (why: string): void => {
    if (!complained)
      complain(`spans cannot be sent to ${originOf(settings.url)}: ${why}; the run goes on without them`);
    complained = true;
  };

  /** True when the next batch may be tried. */
  const sendBatch = async (): Promise<boolean> => {
    const batch = waiting.slice(0, BATCH);
    const outcome = await postOtlp(settings, otlpRequest(batch, settings.resource));
    if (outcome.type !== 'later') waiting.splice(0, batch.length);
    if (outcome.type !== 'sent') failed(outcome.why);
    return outcome.type !== 'later';
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) if (!(await sendBatch())) return;
  };
  const flush = (): Promise<void> => (sending = sending.then(sendAll));

  const lastTries = async (): Promise<void> => {
    for (let tries = 0; tries < LAST_TRIES; tries += 1) {
      if (tries > 0) await sleep(LAST_PAUSE_MS);
      await flush();
      if (waiting.length === 0) return;
    }
  };

  const timer = setInterval(() => void flush(), EVERY_MS);
  timer.unref();
  return {
    add: (span) => {
      if (waiting.length < MOST_WAITING) waiting.push(span);
      else dropped += 1;
    },
    close: async () => {
      clearInterval(timer);
      const patience = new AbortController();
      await Promise.race([lastTries(), sleep(settings.timeoutMs, undefined, { signal: patience.signal })]);
      patience.abort();
      const lost = dropped + waiting.length;
      if (lost > 0) complain(`${lost} spans were not sent`);
    },
  };
}

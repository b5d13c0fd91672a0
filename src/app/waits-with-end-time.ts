/** Adds the end time to long pauses on their way to the screen. */
import type { Progress } from '../ports/progress.ts';

/** A shorter pause, in milliseconds, is over before its end time would matter. */
const MIN_DATED_MS = 10_000;

export function withEndTimes(progress: Progress, now: () => number = Date.now): Progress {
  return (event) => {
    const isLong = (event.type === 'retry' || event.type === 'wait') && event.delayMs > MIN_DATED_MS;
    progress(isLong ? { ...event, until: new Date(now() + event.delayMs).toISOString() } : event);
  };
}

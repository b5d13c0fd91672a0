/** Pauses on their way to the screen: a long one says when it ends. */
import type { Progress } from '../ports/progress.ts';

/** A shorter pause is over before anybody wonders. */
const SAID_MS = 10_000;

export function dateWaits(progress: Progress, now: () => number = Date.now): Progress {
  return (event) => {
    const isLong = (event.type === 'retry' || event.type === 'wait') && event.delayMs > SAID_MS;
    progress(isLong ? { ...event, until: new Date(now() + event.delayMs).toISOString() } : event);
  };
}

/** `--max-minutes`: when the time is up, no new model call begins, running calls may finish, then work stops. */
import type { Model } from '../../ports/model.ts';

export type TimeSlice = {
  /** Aborts at the end of the slice, or when the outer signal does. */
  signal: AbortSignal;
  /** Wraps a model, so that the slice knows which calls are running. */
  around: (model: Model) => Model;
  /** True when the work ended because of the slice and not because of the user. */
  used: () => boolean;
  close: () => void;
};

/** The abort reason. Only a command that has not begun its work shows it; the others print their closing lines. */
export class TimeSliceUsed extends Error {
  override name = 'TimeSliceUsed';
  constructor() {
    super('The time slice was used up before anything was begun: give more with --max-minutes.');
  }
}

/** A call that runs longer than this after the end is aborted, because a CI job has a hard limit of its own. */
const GRACE_MS = 120_000;

/** Without `ms` the slice never ends. */
export function startTimeSlice(ms: number | undefined, outer: AbortSignal, graceMs = GRACE_MS): TimeSlice {
  const ended = new AbortController();
  const signal = AbortSignal.any([outer, ended.signal]);
  let up = false;
  let underWay = 0;
  let grace: NodeJS.Timeout | undefined;
  const stopIfIdle = (): void => {
    if (up && underWay === 0) ended.abort(new TimeSliceUsed());
  };
  const timeUp = (): void => {
    up = true;
    grace = setTimeout(() => ended.abort(new TimeSliceUsed()), graceMs).unref();
    stopIfIdle();
  };
  const timer = ms === undefined ? undefined : setTimeout(timeUp, ms).unref();
  return {
    signal,
    around: (model) => ({
      ...model,
      call: async (request, callSignal, terms) => {
        if (up) return rejectOnAbort(signal);
        underWay += 1;
        try {
          return await model.call(request, callSignal, terms);
        } finally {
          underWay -= 1;
          // The answer is not lost: paid answers are stored before anything looks at the signal again.
          if (up) setImmediate(stopIfIdle);
        }
      },
    }),
    used: () => ended.signal.aborted && !outer.aborted,
    close: () => {
      clearTimeout(timer);
      clearTimeout(grace);
    },
  };
}

/** Rejects only when the signal aborts, so that callers see a stopped call and not a failed one. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => void setImmediate(() => reject(signal.reason as Error));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

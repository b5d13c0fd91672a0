/** Trials as jobs: one id for each, so that none is put twice while it waits or runs, and a sign when one has ended. */
import { describeError } from '../../errors.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { TrialLane, TrialPointer } from '../../ports/job-queue.ts';
import type { LaneEvents } from './backend.ts';

/**
 * Nothing of a trial that has ended stays in the queue: its record is on disk, and its id must be free to be put again.
 * Failures are not counted here either: the worker that has the evaluation decides.
 */
export function optionsOfTrial(run: string, trial: TrialPointer) {
  return {
    jobId: `t${sha256(JSON.stringify([run, trial.attempt, trial.sample, trial.trial]))}`,
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 1,
  };
}

/** Events are listened to as long as somebody wants to know. */
export function openTrialLane(
  open: () => LaneEvents,
  notice: (message: string) => void,
): Pick<TrialLane, 'onEnded'> & { close: () => Promise<void> } {
  const listeners = new Set<() => void>();
  let events: LaneEvents | undefined;
  const reportToAll = (): void => {
    for (const tell of listeners) tell();
  };
  const listen = (): void => {
    const opened = open();
    events = opened;
    // On PostgreSQL events whose first connection failed never come: the next listener opens others.
    opened.waitUntilReady().catch(() => {
      if (events === opened) events = undefined;
      void opened.close().catch(() => undefined);
    });
    events.on('completed', reportToAll);
    events.on('failed', reportToAll);
    events.on('error', (error) => notice(`samples events: ${describeError(error)}`));
  };

  return {
    onEnded: (tell) => {
      listeners.add(tell);
      if (events === undefined) listen();
      return () => listeners.delete(tell);
    },
    close: async () => events?.close(),
  };
}

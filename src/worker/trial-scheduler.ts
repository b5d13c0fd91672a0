/** The holder's side of a shared evaluation: puts its trials on the queue, and waits for their records on the disk. */
import { basename } from 'node:path';
import { messageOf } from '../errors.ts';
import type { ShareTrials } from '../pipeline/deps.ts';
import type { TrialLane } from '../ports/job-queue.ts';
import { closedTrials, forgetReturnedTrial } from './trial-files.ts';

/** A run's trials that wait in the queue at most: beyond that they would only keep other runs' trials waiting. */
const MOST_WAITING = 256;
/** The disk is looked at that often without any hint. */
const LOOK_MS = 1000;

type Waiting = PromiseWithResolvers<void> & { sample: string; trial: number; putAt?: number };

/**
 * Truth is on the disk: a trial's turn comes when its record is there, to be found again, or when it was handed back, to
 * be played here. The queue only tells who may play it, and may be lost.
 */
export const scheduleTrials =
  (lane: TrialLane): ShareTrials =>
  async (run, attempt, { silenceMs, progress, aroundTrial }) => {
    await forgetReturnedTrial(attempt);
    const waiting = new Map<string, Waiting>();
    const played = new Set<string>();
    let looking: Promise<void> | undefined;
    let wasAway = false;

    const putNext = async (): Promise<void> => {
      const now = Date.now();
      const isDue = ({ putAt }: Waiting): boolean => putAt === undefined || now - putAt > silenceMs;
      const due = [...waiting.values()].slice(0, MOST_WAITING).filter(isDue);
      await Promise.all(
        due.map(async (one) => {
          await lane.put(run.id, { attempt: basename(attempt.dir), sample: one.sample, trial: one.trial });
          one.putAt = now;
        }),
      );
      wasAway = false;
    };

    const look = async (): Promise<void> => {
      const ended = await closedTrials(attempt);
      for (const [name, { resolve }] of waiting) {
        const how = ended.get(name);
        if (how === undefined) continue;
        waiting.delete(name);
        if (how === 'played') played.add(name);
        resolve();
      }
      // A queue that is away comes back, or the run's step is given to another worker.
      await putNext().catch((error: unknown) => {
        if (!wasAway) progress({ type: 'state', status: 'notice', detail: messageOf(error) });
        wasAway = true;
      });
    };

    const untilAllEnded = async (): Promise<void> => {
      // Whoever asks in the same moment is put in the same round.
      await Promise.resolve();
      let hint = Promise.withResolvers<void>();
      const stop = lane.onEnded(() => hint.resolve());
      try {
        while (waiting.size > 0) {
          hint = Promise.withResolvers<void>();
          await look();
          if (waiting.size > 0) await within(LOOK_MS, hint.promise);
        }
      } catch (error) {
        for (const { reject } of waiting.values()) reject(error);
        waiting.clear();
      } finally {
        stop();
        looking = undefined;
      }
    };

    return {
      turnOf: async (sample, trial, signal) => {
        signal.throwIfAborted();
        const name = `${sample}.${trial}`;
        const mine: Waiting = { ...Promise.withResolvers<void>(), sample, trial };
        const stop = (): void => {
          waiting.delete(name);
          mine.reject(signal.reason);
        };
        waiting.set(name, mine);
        signal.addEventListener('abort', stop, { once: true });
        looking ??= untilAllEnded();
        await mine.promise.finally(() => signal.removeEventListener('abort', stop));
      },
      // Whoever played a trial told of it; here it is only read.
      ...(aroundTrial === undefined
        ? {}
        : {
            aroundTrial: (sample, trial, work) =>
              played.has(`${sample}.${trial}`) ? work() : aroundTrial(sample, trial, work),
          }),
    };
  };

async function within(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

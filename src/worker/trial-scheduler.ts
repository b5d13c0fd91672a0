/** The holder's side of a shared evaluation: puts its trials on the queue, and waits for their records on the disk. */
import { basename } from 'node:path';
import { describeError } from '../errors.ts';
import type { ShareTrials } from '../pipeline/deps.ts';
import type { TrialLane, JobPriority } from '../ports/job-queue.ts';
import type { EvaluateInput } from '../evaluation/evaluate.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Attempt } from '../ports/artifacts.ts';
import type { Progress } from '../ports/progress.ts';
import { readHandOverMark } from '../run-folder/hand-over.ts';
import { readEndedTrials, forgetReturnedTrial } from './trial-files.ts';

/** Maximum of a run's trials in the queue: more would only delay the trials of other runs. */
const MOST_WAITING = 256;
/** Longest time between two reads of the disk without a hint from the queue. */
const LOOK_MS = 1000;

type WaitingTrial = PromiseWithResolvers<void> & {
  sample: string;
  trial: number;
  turn: JobPriority;
  queuedAt?: number;
};

/** The trials of one attempt that are shared with other workers. */
type SharedTrials = {
  lane: TrialLane;
  run: string;
  attempt: Attempt;
  silenceMs: number;
  progress: Progress;
  /** Trials by `<sample>.<trial>`, each until its turn has come. */
  waiting: Map<string, WaitingTrial>;
  /** Names of the trials that another worker has played. */
  played: Set<string>;
  isWatched: boolean;
  isQueueAway: boolean;
};

/**
 * The disk decides: a trial's turn comes when its record is there, to be read, or when it was handed back, to be played
 * here. The queue only says who may play it, and may be lost.
 */
export const scheduleTrials =
  (lane: TrialLane): ShareTrials =>
  async (run, attempt, { silenceMs, progress, aroundTrial }) => {
    await forgetReturnedTrial(attempt);
    await attempt.share();
    const common = { lane, run: run.id, attempt, silenceMs, progress };
    const none = { waiting: new Map(), played: new Set<string>(), isWatched: false, isQueueAway: false };
    const shared: SharedTrials = { ...common, ...none };
    const { waiting, played } = shared;
    const { turn: turnOfRun = {} } = (await readHandOverMark(run)) ?? {};
    let place = 0;
    return omitUndefined({
      turnOf: async (sample: string, trial: number, signal: AbortSignal) => {
        signal.throwIfAborted();
        const name = `${sample}.${trial}`;
        const turn = { ...turnOfRun, place: place++ };
        const mine: WaitingTrial = { ...Promise.withResolvers<void>(), sample, trial, turn };
        const stop = (): void => {
          waiting.delete(name);
          mine.reject(signal.reason);
        };
        waiting.set(name, mine);
        signal.addEventListener('abort', stop, { once: true });
        if (!shared.isWatched) void untilAllEnded(shared);
        await mine.promise.finally(() => signal.removeEventListener('abort', stop));
      },
      // The worker that played a trial has traced it; here its record is only read.
      aroundTrial: aroundTrial && traceOwn(aroundTrial, played),
    });
  };

type AroundTrial = NonNullable<EvaluateInput['aroundTrial']>;

function traceOwn(aroundTrial: AroundTrial, played: ReadonlySet<string>): AroundTrial {
  return (sample, trial, work) => (played.has(`${sample}.${trial}`) ? work() : aroundTrial(sample, trial, work));
}

async function untilAllEnded(shared: SharedTrials): Promise<void> {
  const { lane, waiting } = shared;
  shared.isWatched = true;
  // Trials requested at the same moment are queued in the same round.
  await Promise.resolve();
  let hint = Promise.withResolvers<void>();
  const stop = lane.onEnded(() => hint.resolve());
  try {
    while (waiting.size > 0) {
      hint = Promise.withResolvers<void>();
      await settleEndedTrials(shared);
      if (waiting.size > 0) await waitAtMost(LOOK_MS, hint.promise);
    }
  } catch (error) {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  } finally {
    stop();
    shared.isWatched = false;
  }
}

async function settleEndedTrials(shared: SharedTrials): Promise<void> {
  const { attempt, waiting, played, progress } = shared;
  const ended = await readEndedTrials(attempt);
  for (const [name, { resolve }] of waiting) {
    const how = ended.get(name);
    if (how === undefined) continue;
    waiting.delete(name);
    if (how === 'played') played.add(name);
    resolve();
  }
  // An unreachable queue comes back, or the run's step is given to another worker.
  await queueDue(shared).catch((error: unknown) => {
    if (!shared.isQueueAway) progress({ type: 'state', status: 'notice', detail: describeError(error) });
    shared.isQueueAway = true;
  });
}

async function queueDue(shared: SharedTrials): Promise<void> {
  const { lane, run, attempt, silenceMs, waiting } = shared;
  const now = Date.now();
  const isDue = ({ queuedAt }: WaitingTrial): boolean => queuedAt === undefined || now - queuedAt > silenceMs;
  const due = [...waiting.values()].slice(0, MOST_WAITING).filter(isDue);
  await Promise.all(
    due.map(async (one) => {
      const { sample, trial, turn } = one;
      await lane.put(run, { attempt: basename(attempt.dir), sample, trial }, turn);
      one.queuedAt = now;
    }),
  );
  shared.isQueueAway = false;
}

async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

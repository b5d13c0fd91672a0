/** The queue that TANDEM_QUEUE names: opened by runs, by workers, and by commands that wake them. */
import type { BullmqQueueOptions, SharedQueue } from '../adapters/bullmq/bullmq-queue.ts';
import { loadConfig } from '../config/load-config.ts';
import { chooseQueue, type QueueAddress, type Config } from '../config/schema.ts';
import { isHarnessError, describeError } from '../errors.ts';
import type { ReadDeps } from '../ports/run-store.ts';
import { isHandedOver, wakeNext } from '../run-folder/hand-over.ts';
import type { Job, Lane } from '../ports/job-queue.ts';
import type { Progress } from '../ports/progress.ts';
import { loadNextLanes } from './models/lane-models.ts';
import type { ProjectSetup } from './models/open-models.ts';

export type { SharedQueue };

export type QueueOptions = ProjectSetup & { progress: Progress };

type SharedAddress = Exclude<QueueAddress, { kind: 'in-process' }>;

/** Opens the queue for a command that starts or resumes runs, and warns when no worker will take them. */
export async function openForRuns(address: SharedAddress, options: QueueOptions): Promise<SharedQueue> {
  const { home, config, env, progress } = options;
  const queue = await openShared(address, options);
  const lanes = await loadNextLanes(home, config, env);
  // A server that cannot count its workers is no fault.
  const workers = await queue.workers(lanes).catch(() => 1);
  const detail = `No worker listens on ${address.shown} yet: start one with tandem worker. The run waits until then.`;
  if (workers === 0) progress({ type: 'state', status: 'notice', detail });
  return queue;
}

type WorkerTerms = {
  lanes: readonly Lane[];
  /** The number of concurrent steps of each kind; `samples_in_parallel` limits trials. */
  concurrency: number;
  onGaveUp: (job: Job, error: unknown) => Promise<void>;
};

/** Without `working` the queue is only woken and read. */
export async function openShared(
  address: SharedAddress,
  { config, progress }: Pick<QueueOptions, 'config' | 'progress'>,
  working: WorkerTerms = { lanes: [], concurrency: 1, onGaveUp: () => Promise.resolve() },
): Promise<SharedQueue> {
  const { step_tries, min_delay_ms } = config.retry;
  const { lock_ms, stalled_ms, most_starts, at_once } = config.queue;
  const common = {
    tries: step_tries,
    minDelayMs: min_delay_ms,
    mostStarts: most_starts,
    lanes: working.lanes,
    concurrency: modelLimiterFor(config, working.concurrency),
    onGaveUp: working.onGaveUp,
    onRetry: ({ run }: Job, { attempt, error }: { attempt: number; error: Error }) => {
      const wantedMs = isHarnessError(error) ? error.details['retryAfterMs'] : undefined;
      const delayMs = typeof wantedMs === 'number' ? Math.max(wantedMs, min_delay_ms) : min_delay_ms;
      progress({ type: 'retry', what: `step of ${run}`, attempt, delayMs, reason: error.message });
    },
    onNotice: (detail: string) => progress({ type: 'state', status: 'notice', detail }),
  } satisfies Partial<BullmqQueueOptions>;
  const { openBullmqQueue } = await import('../adapters/bullmq/bullmq-queue.ts');
  return openBullmqQueue({ ...common, address, lockMs: lock_ms, stalledMs: stalled_ms, atOnce: at_once });
}

/** Loads the times of cron patterns, as workers compute them. */
export async function loadCronTimes() {
  const { createCronTimes } = await import('../adapters/bullmq/cron-times.ts');
  return createCronTimes;
}

/** Limits steps by the worker's own number, and trials by the configuration's, which also holds in one process. */
export function modelLimiterFor(config: Config, concurrency: number): Readonly<Record<Lane, number>> {
  return { init: concurrency, execute: concurrency, samples: config.samples_in_parallel };
}

/** After a decision, saves workers the wait for their next look. Never fails: the decision is valid without it. */
export async function wakeWorkers(
  runId: string,
  deps: ReadDeps,
  { home, env }: Pick<QueueOptions, 'home' | 'env'>,
): Promise<void> {
  const { progress } = deps;
  try {
    const config = await loadConfig(home, {});
    const address = chooseQueue(config, env);
    if (address.kind === 'in-process') return;
    const run = await deps.store.open(runId);
    if (!(await isHandedOver(run))) return;
    const queue = await openShared(address, { config, progress });
    await wakeNext(run, { ...deps, queue });
    await queue.close();
  } catch (error) {
    progress({ type: 'state', status: 'notice', detail: describeError(error) });
  }
}

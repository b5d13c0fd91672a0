/** Opens the queue of the runs: the one in this process, or the one that TANDEM_QUEUE names. */
import { createInProcessQueue } from '../adapters/in-process/in-process-queue.ts';
import { chooseQueue } from '../config/queue.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { QueueOptions } from './worker-queue.ts';

/** One command drives one run at a time; a worker drives more. */
const RUNS_AT_A_TIME = 1;

/** For a command that starts or resumes runs: it works on jobs itself only when the queue is in this process. */
export async function openQueue(options: QueueOptions): Promise<{ queue: JobQueue; handedOver: boolean }> {
  const address = chooseQueue(options.config, options.env);
  if (address.kind !== 'in-process') {
    const { openForRuns } = await import('./worker-queue.ts');
    return { queue: await openForRuns(address, options), handedOver: true };
  }
  const { step_tries, min_delay_ms, max_delay_ms } = options.config.retry;
  const queue = createInProcessQueue({
    concurrency: RUNS_AT_A_TIME,
    tries: step_tries,
    minDelayMs: min_delay_ms,
    maxDelayMs: max_delay_ms,
    onRetry: (_job, { attempt, delayMs, error }) =>
      options.progress({ type: 'retry', what: 'step', attempt, delayMs, reason: error.message }),
  });
  return { queue, handedOver: false };
}

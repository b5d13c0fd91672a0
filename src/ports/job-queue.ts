/** The job-queue port: wake-ups for runs. A job is a pointer; what it points at is on disk. */

/** Which agent the run's next step belongs to: each lane has workers and limits of its own. */
export type Lane = 'init' | 'execute';

export type Job = { run: string; lane?: Lane };

export type HandleJob = (job: Job, signal: AbortSignal) => Promise<void>;

export interface JobQueue {
  /** Contract: waking a run that is already waiting is one wake-up; waking one that is being handled runs it again. */
  wake(job: Job): Promise<void>;
  /** Contract: at least once, never twice at a time for one run here. A retryable error is tried again with backoff. */
  work(handle: HandleJob): Promise<void>;
  /** Resolves when nothing is waiting and nothing runs. Rejects with the first error that was final. */
  idle(): Promise<void>;
  /** Contract: takes nothing more, gives what runs `graceMs` to end by itself (default none), then aborts it and waits for it. */
  close(graceMs?: number): Promise<void>;
}

/** The job-queue port: wake-ups for runs. A job is a pointer; the data is on disk. */

/** The agent that makes a run's next step. */
export type StepLane = 'init' | 'execute';

/** Steps of either agent, or the trials of an evaluation; each lane has its own workers and limits. */
export type Lane = StepLane | 'samples';

/** One trial of an evaluation: the attempt's folder, the sample and the trial number. */
export type TrialPointer = { attempt: string; sample: string; trial: number };

export const PRIORITIES = ['high', 'normal', 'low'] as const;

/** What happens at a time at which an earlier batch of a schedule has not ended. */
export const OVERLAPS = ['allow', 'skip', 'queue', 'cancel'] as const;

/**
 * Order of a job among those that wait. `place` counts the jobs of the same batch or evaluation that go before it: a
 * lower place overtakes, except jobs that have waited longer than ten seconds for each place between.
 */
export type JobPriority = { priority?: (typeof PRIORITIES)[number]; place?: number };

/** Agent and model (`<provider>/<model>`) of the next step; the model is undefined where it is not known. */
export type NextLane = { lane: StepLane; model?: string; turn?: JobPriority };

/** `trial` is set in jobs of the lane `samples` only, `model` in all others where it is known. */
export type Job = { run: string; lane?: Lane; model?: string; trial?: TrialPointer; turn?: JobPriority };

/** A job that a worker gave back because only another worker may do it: the worker's name and what it lacks. */
export type HandedBack = {
  worker: string;
  why: string;
  /** The run needs a newer program, which an upgrade brings; this is no reason to stop it. */
  isOlder?: true;
};

/** Position of a run's wake-up in a queue that workers share. */
export type QueuePosition = {
  /** `absent` means that the queue holds no job of the run; workers put it back at their next look at the runs. */
  state: 'absent' | 'active' | 'waiting' | 'delayed';
  /** ISO time at which the job came into that state; for `delayed`, at which it is offered again. */
  since?: string;
  until?: string;
  /** Number of workers that listen in its lane; absent where the queue cannot tell. */
  workers?: number;
  handedBack: HandedBack[];
};

export type LocateRun = (run: string, next: NextLane) => Promise<QueuePosition>;

/** Contract: a job that resolves with a reason was not done, and a shared queue offers it to other workers. */
export type HandleJob = (job: Job, signal: AbortSignal) => Promise<HandedBack | void>;

/** The lane on which workers share the trials of an evaluation. */
export interface TrialLane {
  /** Contract: a trial that waits or is being played is not put a second time; a put job may get lost. */
  put(run: string, trial: TrialPointer, turn?: JobPriority): Promise<void>;
  /** Calls back when any trial has ended: a hint that may get lost or be repeated. Returns the function to stop it. */
  onEnded(tell: () => void): () => void;
}

export interface JobQueue {
  /** Contract: waking a run that is already waiting is one wake-up; waking one that is being handled runs it again. */
  wake(job: Job): Promise<void>;
  /** Contract: at least once, never twice at a time for one run here. A retryable error is tried again with backoff. */
  work(handle: HandleJob): Promise<void>;
  /** Finds the workers that gave the run's next step back since one last did it; absent for a queue of one process. */
  handedBack?: {
    of(run: string): Promise<HandedBack[]>;
    /** Offers the step to these workers again. */
    forget(run: string): Promise<void>;
  };
  /** Resolves when nothing is waiting and nothing runs. Rejects with the first error that was final. */
  idle(): Promise<void>;
  /** Contract: takes no new job, gives running ones `graceMs` to end (default none), then aborts and waits for them. */
  close(graceMs?: number): Promise<void>;
}

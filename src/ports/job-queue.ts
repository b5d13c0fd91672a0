/** The job-queue port: wake-ups for runs. A job is a pointer; what it points at is on disk. */

/** Which agent a run's next step belongs to. */
export type StepLane = 'init' | 'execute';

/** Steps of either agent, or the trials of an evaluation: each lane has workers and limits of its own. */
export type Lane = StepLane | 'samples';

/** One trial of an evaluation: in which attempt's folder, and which one. */
export type TrialPointer = { attempt: string; sample: string; trial: number };

export const PRIORITIES = ['high', 'normal', 'low'] as const;

/**
 * When a job's turn comes among those that wait. `place` is how many of the same batch, or of the same evaluation, go before it:
 * one with a lower place overtakes, but nobody who has waited longer than the places between them, ten seconds each.
 */
export type Turn = { priority?: (typeof PRIORITIES)[number]; place?: number };

/** Whose step it is, and which model it needs as `<provider>/<model>`; undefined where that is not known. */
export type NextLane = { lane: StepLane; model?: string; turn?: Turn };

/** `trial` is set in jobs of the lane `samples` only, `model` in all others where it is known. */
export type Job = { run: string; lane?: Lane; model?: string; trial?: TrialPointer; turn?: Turn };

/** A job that a worker gave back because it cannot do it here and another worker may: which one, and what it lacks. */
export type HandedBack = {
  worker: string;
  why: string;
  /** The run waits for a newer program, which an upgrade brings: no reason to stop it. */
  isOlder?: true;
};

/** Where the wake-up of a run is in a queue that workers share. */
export type QueuePosition = {
  /** `absent`: the queue holds nothing of it; workers put it back at their next look at the runs. */
  state: 'absent' | 'active' | 'waiting' | 'delayed';
  /** When it came into that state, ISO; for `delayed` when it is offered again. */
  since?: string;
  until?: string;
  /** That listen in its lane; absent where the queue cannot say. */
  workers?: number;
  handedBack: HandedBack[];
};

export type LocateRun = (run: string, next: NextLane) => Promise<QueuePosition>;

/** Contract: what resolves with a reason was not done; a queue that workers share offers it to others. */
export type HandleJob = (job: Job, signal: AbortSignal) => Promise<HandedBack | void>;

/** The lane on which workers share the trials of an evaluation. */
export interface TrialLane {
  /** Contract: a trial that waits or is being played is not put a second time; a put job may get lost. */
  put(run: string, trial: TrialPointer, turn?: Turn): Promise<void>;
  /** Calls back when any trial has ended: a hint that may get lost or be repeated. Returns the function to stop it. */
  onEnded(tell: () => void): () => void;
}

/** What begins a batch at the times of a cron pattern. `timeZone` is a name such as Europe/Berlin. */
export type Timetable = { id: string; cron: string; timeZone: string };

export type Schedules = {
  /** Contract: as often as one likes, by whoever likes: it is one schedule. `usage` for a pattern or a time zone that is none. */
  set(one: Timetable): Promise<void>;
  /** By id: those that the queue knows, and when each is due next. */
  next(): Promise<
    Map<string, { cron?: string | undefined; timeZone?: string | undefined; nextMs?: number | undefined }>
  >;
  remove(id: string): Promise<void>;
  /** Contract: of all workers one handles a time that has come; what dies with its worker is handled again, with the same `due`. */
  work(handle: (id: string, due: Date, signal: AbortSignal) => Promise<void>): void;
};

export interface JobQueue {
  /** Contract: waking a run that is already waiting is one wake-up; waking one that is being handled runs it again. */
  wake(job: Job): Promise<void>;
  /** Contract: at least once, never twice at a time for one run here. A retryable error is tried again with backoff. */
  work(handle: HandleJob): Promise<void>;
  /** By which workers the run's next step was given back since one last did it; absent where no others could do it. */
  handedBack?: {
    of(run: string): Promise<HandedBack[]>;
    /** They are offered it anew. */
    forget(run: string): Promise<void>;
  };
  /** Resolves when nothing is waiting and nothing runs. Rejects with the first error that was final. */
  idle(): Promise<void>;
  /** Contract: takes nothing more, gives what runs `graceMs` to end by itself (default none), then aborts it and waits for it. */
  close(graceMs?: number): Promise<void>;
}

/** The queue backend: the parts of BullMQ that Redis and PostgreSQL share. */
import type { Processor, Queue, QueueEvents, WorkerOptions } from 'bullmq';
import type { Job as Pointer } from '../../ports/job-queue.ts';
import type { RateLimitStore } from '../limits/rate-limit-state.ts';
import type { LaneWorker } from './reconnecting-worker.ts';

export type BackendAddress = { kind: 'redis' | 'postgres'; url: string; shown: string; space: string };

/** The members that both backends share; BullMQ's other types depend on the connection. */
export type LaneQueue = Pick<
  Queue<Pointer, void>,
  | 'add'
  | 'close'
  | 'getDeduplicationJobId'
  | 'getJob'
  | 'getJobCounts'
  | 'getJobSchedulers'
  | 'getWorkersCount'
  | 'remove'
  | 'removeGlobalConcurrency'
  | 'removeJobScheduler'
  | 'setGlobalConcurrency'
  | 'upsertJobScheduler'
  | 'waitUntilReady'
> & { on(event: 'error', listener: (error: Error) => void): unknown };

/** Events about the jobs of all workers, for observers; an event may get lost. */
export type LaneEvents = Pick<QueueEvents, 'close' | 'waitUntilReady'> & {
  on(event: 'completed' | 'failed', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

export type Backend = {
  /** For adding and inspecting jobs: fails fast while the server is away. */
  queue(name: string): LaneQueue;
  /** For working on jobs: waits for the server without limit. */
  worker(name: string, process: Processor<Pointer, void>, options: Omit<WorkerOptions, 'connection'>): LaneWorker;
  events(name: string): LaneEvents;
  limits: RateLimitStore;
  /** Rejects when the server does not answer now. */
  connect(): Promise<void>;
  /** Describes a wrong setting of the server, or resolves with undefined. */
  settingsFault(): Promise<string | undefined>;
  close(): Promise<void>;
};

/** The events stream is for observers only; without a cap it fills the memory of Redis. */
export const STREAMS = { events: { maxLen: 1000 } };

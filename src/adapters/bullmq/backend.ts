/** Redis or PostgreSQL behind BullMQ: how each is connected to, and nothing else differs. */
import { createPostgresBackend, Queue, QueueEvents, Worker, type Processor, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Client } from 'pg';
import type { Job as Pointer } from '../../ports/job-queue.ts';
import type { RateLimitStore } from '../limits/rate-limit-state.ts';
import { limitsInPostgres } from './limit-rows.ts';
import { limitsInRedis } from './limits-in-redis.ts';
import { reconnectingWorker, type LaneWorker } from './reconnecting-worker.ts';
import { SILENT_MS, reconnectingClient } from './reconnecting-client.ts';
import { policyFault, redisClient } from './redis-client.ts';

export type Address = { kind: 'redis' | 'postgres'; url: string; shown: string; space: string };

/** What both backends have in common; the rest of BullMQ's types differs by that of the connection. */
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

/** What all workers of a queue did, for those who look on: events may get lost. */
export type LaneEvents = Pick<QueueEvents, 'close' | 'waitUntilReady'> & {
  on(event: 'completed' | 'failed', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
};

export type Backend = {
  /** For adding and looking: fails fast while the server is away. */
  queue(name: string): LaneQueue;
  /** For working: waits for the server as long as it takes. */
  worker(name: string, process: Processor<Pointer, void>, options: Omit<WorkerOptions, 'connection'>): LaneWorker;
  events(name: string): LaneEvents;
  limits: RateLimitStore;
  /** Rejects when the server does not answer now. */
  connect(): Promise<void>;
  /** What is wrong with the settings of the server. */
  settingsFault(): Promise<string | undefined>;
  close(): Promise<void>;
};

/** The events stream is for onlookers only; without a cap it fills the memory of Redis. */
const STREAMS = { events: { maxLen: 1000 } };

export function openBackend(address: Address, onError: (error: Error) => void): Backend {
  return address.kind === 'redis' ? redis(address, onError) : postgres(address, onError);
}

function redis({ url, space }: Address, onError: (error: Error) => void): Backend {
  let isClosed = false;
  // BullMQ makes copies of a worker's client and forgets them when it cannot say good-bye to a server that is gone.
  const retryStrategy = (times: number): number | null => (isClosed ? null : Math.min(times * 100, 2_000));
  const producer = redisClient(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    retryStrategy,
    socketTimeout: SILENT_MS,
  });
  const clients = [producer];
  producer.on('error', onError);
  const patient = (): Redis => {
    const client = redisClient(url, { maxRetriesPerRequest: null, retryStrategy, socketTimeout: SILENT_MS });
    client.on('error', onError);
    clients.push(client);
    return client;
  };
  return {
    queue: (name) => new Queue(name, { connection: producer, prefix: space, streams: STREAMS }),
    worker: (name, process, options) => new Worker(name, process, { ...options, connection: patient(), prefix: space }),
    events: (name) => new QueueEvents(name, { connection: patient(), prefix: space }),
    limits: limitsInRedis(producer, space),
    connect: async () => {
      if (producer.status !== 'ready') await readyOrFailed(producer);
      await producer.ping();
    },
    settingsFault: () => policyFault(producer),
    close: async () => {
      isClosed = true;
      for (const client of clients) client.disconnect();
    },
  };
}

/** The client retries by itself; opening a queue fails at the first error. */
async function readyOrFailed(client: Redis): Promise<void> {
  if (client.status === 'wait') void client.connect().catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', reject);
  });
}

/**
 * BullMQ makes the connection on which it waits for news by the driver's own class, which ends the process when the server
 * closes it right after the greeting or during the goodbye: nobody listens for its errors then.
 */
function listeningBy(client: typeof Client): typeof createPostgresBackend {
  return (...given) => {
    const backend = createPostgresBackend(...given);
    const { connection } = backend as unknown as { connection: { pgModule: { Client: typeof Client } } };
    connection.pgModule = { Client: client };
    return backend;
  };
}

/** `space` is a schema there; BullMQ makes it and its tables on the first connection. */
function postgres({ url, space }: Address, onError: (error: Error) => void): Backend {
  const limits = limitsInPostgres(url, space, onError);
  const Steady = reconnectingClient(onError);
  const makeBackend = listeningBy(Steady);
  const connection = {
    connectionString: url,
    schema: space,
    migrate: true,
    // Of each lane's queue and worker, which adds up; the worker hears of jobs on one more.
    max: 1,
    Client: Steady,
  };
  const queues: LaneQueue[] = [];
  return {
    queue: (name) => {
      const made: LaneQueue = new Queue(name, { connection, streams: STREAMS }, makeBackend);
      queues.push(made);
      return made;
    },
    worker: (name, process, options) =>
      reconnectingWorker(() => new Worker(name, process, { ...options, connection }, makeBackend)),
    events: (name) => new QueueEvents(name, { connection }, makeBackend),
    limits,
    connect: async () => {
      for (const queue of queues) await queue.waitUntilReady();
    },
    settingsFault: () => Promise.resolve(undefined),
    close: () => limits.close(),
  };
}

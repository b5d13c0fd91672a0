/** Opens Redis or PostgreSQL behind BullMQ; the two differ only in how they are connected to. */
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
const STREAMS = { events: { maxLen: 1000 } };

export function openBackend(address: BackendAddress, onError: (error: Error) => void): Backend {
  return address.kind === 'redis' ? openRedisBackend(address, onError) : openPostgresBackend(address, onError);
}

function openRedisBackend({ url, space }: BackendAddress, onError: (error: Error) => void): Backend {
  let isClosed = false;
  // BullMQ copies a worker's client, and forgets the copy when it cannot disconnect from a server that is gone.
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
 * BullMQ opens its listening connection with the driver's own class, which ends the process when the server closes it
 * right after the greeting or while disconnecting, because its errors have no listener then.
 */
function withClientClass(client: typeof Client): typeof createPostgresBackend {
  return (...given) => {
    const backend = createPostgresBackend(...given);
    const { connection } = backend as unknown as { connection: { pgModule: { Client: typeof Client } } };
    connection.pgModule = { Client: client };
    return backend;
  };
}

/** `space` is the schema; BullMQ creates it and its tables on the first connection. */
function openPostgresBackend({ url, space }: BackendAddress, onError: (error: Error) => void): Backend {
  const limits = limitsInPostgres(url, space, onError);
  const Steady = reconnectingClient(onError);
  const makeBackend = withClientClass(Steady);
  const connection = {
    connectionString: url,
    schema: space,
    migrate: true,
    // Each queue and each worker of a lane has this one connection; a worker listens on one more.
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

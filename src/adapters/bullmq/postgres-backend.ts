/** Opens PostgreSQL behind BullMQ, with connections whose loss never ends the process. */
import { createPostgresBackend, Queue, QueueEvents, Worker } from 'bullmq';
import type { Client } from 'pg';
import { STREAMS, type Backend, type BackendAddress, type LaneQueue } from './backend.ts';
import { limitsInPostgres } from './limit-rows.ts';
import { reconnectingClient } from './reconnecting-client.ts';
import { reconnectingWorker } from './reconnecting-worker.ts';

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
export function openPostgresBackend({ url, space }: BackendAddress, onError: (error: Error) => void): Backend {
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

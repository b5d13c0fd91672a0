/** Opens Redis behind BullMQ. */
import { Queue, QueueEvents, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { STREAMS, type Backend, type BackendAddress } from './backend.ts';
import { limitsInRedis } from './limits-in-redis.ts';
import { policyFault, redisClient, SILENT_MS } from './redis-client.ts';

export function openRedisBackend({ url, space }: BackendAddress, onError: (error: Error) => void): Backend {
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

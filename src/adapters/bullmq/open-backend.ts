/** Opens Redis or PostgreSQL behind BullMQ; the two differ only in how they are connected to. */
import { optionalPackage } from '../../optional-package.ts';
import { type Backend, type BackendAddress, STREAMS } from './backend.ts';
import { Queue, QueueEvents, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { policyFault, redisClient, SILENT_MS } from './redis-client.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import { applyRateLimitRequest, type RateLimitStore, readBook } from '../limits/rate-limit-state.ts';

/** The driver of PostgreSQL is a package of those who use it: it is loaded for their addresses alone. */
export async function openBackend(address: BackendAddress, onError: (error: Error) => void): Promise<Backend> {
  if (address.kind === 'redis') return openRedisBackend(address, onError);
  const load = () => import('./postgres-backend.ts');
  const { openPostgresBackend } = await optionalPackage('A queue on PostgreSQL', 'pg@8', load);
  return openPostgresBackend(address, onError);
}

/** Opens Redis behind BullMQ. */
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

/** Long after the last window and the last lease, nothing of a lane is left. */
const KEEP_MS = 60 * 60_000;
const MOST_TRIES = 200;

/** Milliseconds, which version of the book there is, and the book. */
const READ = `
local clock = redis.call('TIME')
local found = redis.call('HMGET', KEYS[1], 'version', 'book')
return { clock[1] * 1000 + math.floor(clock[2] / 1000), tonumber(found[1] or '0'), found[2] or '' }
`;
const WRITE = `
if tonumber(redis.call('HGET', KEYS[1], 'version') or '0') ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'book', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`;

/** The book of a limited lane in Redis, by the server's clock: read, and written back if nobody else has meanwhile. */
function limitsInRedis(redis: Redis, space: string): RateLimitStore {
  return {
    ask: async (lane, ask) => {
      const key = `${space}:limits:{${lane}}`;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const [now, version, text] = (await redis.eval(READ, 1, key)) as [number, number, string];
        const before = readBook(text === '' ? undefined : parseJson(text));
        const { book, answer } = applyRateLimitRequest(before, ask, now);
        if (book === before) return answer;
        if ((await redis.eval(WRITE, 1, key, version, JSON.stringify(book), KEEP_MS)) === 1) return answer;
        // Somebody else was faster: who waits for a moment of chance meets fewer.
        await delay(Math.random() * Math.min(20, 1 + tries));
      }
      const message = `Too many workers ask for the limits of ${lane} at once.`;
      throw new HarnessError('infrastructure', message, { retryable: true });
    },
  };
}

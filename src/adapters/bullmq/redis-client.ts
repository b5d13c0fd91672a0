/** A client of Redis: a server that may evict keys is named once, in words, where BullMQ prints it for each connection past every log. */
import { Redis, type RedisOptions } from 'ioredis';

const POLICY = /^maxmemory_policy:(.*?)\r?$/m;

/** BullMQ asks with a promise, and makes copies of the client; the client itself asks with a callback. */
export function redisClient(url: string, options: RedisOptions): Redis {
  return withoutPolicy(new Redis(url, options));
}

function withoutPolicy(client: Redis): Redis {
  const [info, duplicate] = [client.info.bind(client), client.duplicate.bind(client)];
  const asked = async (): Promise<string> => (await info()).replace(POLICY, '');
  return Object.assign(client, {
    info: (...args: Parameters<typeof info>) => (args.length === 0 ? asked() : info(...args)),
    duplicate: (more?: Partial<RedisOptions>): Redis => withoutPolicy(duplicate(more)),
  });
}

/** What is wrong with the settings of its server; undefined where nothing is. */
export async function policyFault(client: Redis): Promise<string | undefined> {
  const [, policy = 'noeviction'] = POLICY.exec(String(await client.call('INFO', 'memory'))) ?? [];
  if (policy === 'noeviction') return undefined;
  return `its maxmemory-policy is ${policy}: when its memory is full it evicts jobs and locks. Set noeviction.`;
}

/** A Redis client that reports an evicting server once and in words; BullMQ prints it for each connection, past every log. */
import { Redis, type RedisOptions } from 'ioredis';

/** Longer than a blocking call to Redis. Routers and proxies drop connections silently, and the system checks after minutes. */
export const SILENT_MS = 15_000;

const POLICY = /^maxmemory_policy:(.*?)\r?$/m;

/** BullMQ calls with a promise, and copies the client; the client itself calls with a callback. */
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

/** Describes an eviction policy that may lose jobs; undefined when the policy is right. */
export async function policyFault(client: Redis): Promise<string | undefined> {
  const [, policy = 'noeviction'] = POLICY.exec(String(await client.call('INFO', 'memory'))) ?? [];
  if (policy === 'noeviction') return undefined;
  return `its maxmemory-policy is ${policy}: when its memory is full it evicts jobs and locks. Set noeviction.`;
}

/** A lost connection to PostgreSQL is waited for; what waiting cannot mend, and a server of another kind, is an error at once. */
import { describe, expect, test } from 'vitest';
import { waitForServer } from '../../../src/adapters/bullmq/outage-reporter.ts';
import { HarnessError } from '../../../src/errors.ts';

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const wrapped = new HarnessError('infrastructure', 'The queue cannot be reached', { retryable: true, cause: lost });

function failing(times: number, error: Error) {
  let tries = 0;
  const notices: string[] = [];
  const work = async (): Promise<number> => {
    tries += 1;
    if (tries <= times) throw error;
    return tries;
  };
  const ask = (kind: 'postgres' | 'redis', patienceMs?: number) =>
    waitForServer(work, {
      address: { kind, shown: 'postgres://test' },
      onNotice: (detail) => void notices.push(detail),
      ...(patienceMs === undefined ? {} : { patienceMs }),
    });
  return { ask, notices, tries: () => tries };
}

describe('waiting for the server of a queue', () => {
  test('one lost connection is tried again without a word', async () => {
    const { ask, notices } = failing(1, wrapped);
    expect(await ask('postgres')).toBe(2);
    expect(notices).toEqual([]);
  });

  test('an outage is reported once, and ends', async () => {
    const { ask, notices } = failing(3, lost);
    expect(await ask('postgres')).toBe(4);
    expect(notices).toEqual([expect.stringMatching(/is away: .*ECONNRESET.*Waiting for it; nothing is lost/)]);
  });

  test('patience has an end', async () => {
    const { ask } = failing(100, wrapped);
    await expect(ask('postgres', 0)).rejects.toBe(wrapped);
  });

  test('a wrong password, and Redis, whose driver waits by itself, are errors at once', async () => {
    const refused = failing(1, Object.assign(new Error('password'), { code: '28P01' }));
    await expect(refused.ask('postgres')).rejects.toThrow('password');
    const redis = failing(1, lost);
    await expect(redis.ask('redis')).rejects.toBe(lost);
    expect([refused.tries(), redis.tries()]).toEqual([1, 1]);
  });
});

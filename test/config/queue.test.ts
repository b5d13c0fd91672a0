import { expect, test } from 'vitest';
import { chooseQueue } from '../../src/config/schema.ts';

const config = {
  queue: {
    lock_ms: 1000,
    stalled_ms: 1000,
    reconcile_ms: 1000,
    most_starts: 6,
    at_once: { init: 0, execute: 0, samples: 0 },
  },
};
const choose = (TANDEM_QUEUE?: string) => chooseQueue(config, TANDEM_QUEUE === undefined ? {} : { TANDEM_QUEUE });

test('the queue is in this process unless an address is given (C.2)', () => {
  expect(choose()).toEqual({ kind: 'in-process' });
  expect(choose('  ')).toEqual({ kind: 'in-process' });
});

test.each([
  ['redis://localhost:6379', 'redis'],
  ['rediss://cache.example:6380/2', 'redis'],
  ['postgres://me@db/tandem', 'postgres'],
  ['postgresql://me@db/tandem', 'postgres'],
])('%s is %s', (address, kind) => {
  expect(choose(address)).toMatchObject({ kind, space: 'tandem' });
});

test('the address of the environment wins over that of the configuration', () => {
  const written = { queue: { ...config.queue, url: 'redis://written:1' } };
  expect(chooseQueue(written, {})).toMatchObject({ url: 'redis://written:1' });
  expect(chooseQueue(written, { TANDEM_QUEUE: 'redis://set:2' })).toMatchObject({ url: 'redis://set:2' });
});

test('a space keeps projects apart, and is no part of the address that is connected to', () => {
  expect(choose('redis://h:1?space=shop_2')).toEqual({
    kind: 'redis',
    url: 'redis://h:1',
    shown: 'redis://h:1',
    space: 'shop_2',
  });
  expect(() => choose('redis://h:1?space=A-b')).toThrow(/space "A-b"/);
});

test('a password stands in no message and in nothing that is shown', () => {
  const chosen = choose('redis://user:s3cret@h:1/0');
  expect(chosen).toMatchObject({ shown: 'redis://h:1/0' });
  for (const wrong of ['http://user:s3cret@h', 's3cret', 'redis:s3cret']) {
    expect(() => choose(wrong)).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => choose(wrong)).not.toThrow(/s3cret/);
  }
});

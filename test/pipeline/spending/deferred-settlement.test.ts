/** Settling in the background: nothing is lost by it, and the cap counts as it did. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileSpending } from '../../../src/adapters/files/file-spending.ts';
import { deferSettlement } from '../../../src/pipeline/spending/deferred-settlement.ts';
import type { Spending } from '../../../src/ports/run-store.ts';
import { scratch } from '../../support/scratch.ts';

const PRICE = { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 };
const usage = {
  input_tokens: 2_000_000,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** A ledger whose settlements wait until they are let go; as its contract says, what is asked for later comes later. */
function slow(): { spending: Spending; said: string[]; go: () => void; fail: (error: Error) => void } {
  const said: string[] = [];
  const gate = Promise.withResolvers<void>();
  let earlier: Promise<unknown> = Promise.resolve();
  const spending: Spending = {
    reserve: async ({ call }) => {
      await earlier;
      said.push(`reserved ${call}`);
    },
    settle: (call) => {
      const settling = gate.promise.then(() => said.push(`settled ${call}`)).then(() => 2);
      earlier = settling;
      return settling;
    },
    release: async () => undefined,
    writeOff: async () => undefined,
    list: async () => [],
  };
  return { spending, said, go: gate.resolve, fail: gate.reject };
}

const record = { call: 'c2', agent: 'init', model: 'm', worstUsd: 1 };

test('what a call cost is known at once, and the next call of the lane is reserved after it is settled', async () => {
  const { spending, said, go } = slow();
  const lane = deferSettlement(spending).lane();
  expect(await lane.settle('c1', usage, { price: PRICE })).toBe(2);
  expect(said).toEqual([]);
  const reserving = lane.reserve(record, 10);
  go();
  await reserving;
  expect(said).toEqual(['settled c1', 'reserved c2']);
});

test('lanes do not wait for each other, and the end waits for all of them', async () => {
  const { spending, said, go } = slow();
  const money = deferSettlement(spending);
  await money.lane().settle('c1', usage, { price: PRICE });
  await money.lane().reserve(record, 10);
  expect(said).toEqual(['reserved c2']);
  const settled = money.settled();
  go();
  await settled;
  expect(said).toEqual(['reserved c2', 'settled c1']);
});

test('a settlement that fails stops the next call of the lane, and the end of the step', async () => {
  const { spending, said, fail } = slow();
  const money = deferSettlement(spending);
  const lane = money.lane();
  await lane.settle('c1', usage, { price: PRICE });
  fail(new Error('no space left on device'));
  await expect(lane.reserve(record, 10)).rejects.toThrow('no space left');
  await expect(money.settled()).rejects.toThrow('no space left');
  expect(said).toEqual([]);
});

test('a settlement and the next reservation of its lane lie in one file', async () => {
  const dir = await scratch();
  const money = deferSettlement(openFileSpending(dir));
  const lane = money.lane();
  for (let call = 1; call <= 5; call += 1) {
    await lane.reserve({ ...record, call: `c${call}` }, 100);
    await lane.settle(`c${call}`, usage, { price: PRICE });
  }
  await money.settled();
  expect(await readdir(join(dir, 'spend'))).toHaveLength(6);
  expect((await openFileSpending(dir).list()).map(({ usd }) => usd)).toEqual([2, 2, 2, 2, 2]);
});

test('no call is refused because of a settlement that is still to be written', async () => {
  const dir = await scratch();
  const money = deferSettlement(openFileSpending(dir));
  const one = money.lane();
  await one.reserve({ ...record, call: 'c1', worstUsd: 9 }, 10);
  await one.settle('c1', usage, { price: PRICE });
  await money.lane().reserve({ ...record, call: 'c2', worstUsd: 8 }, 10);
  expect((await openFileSpending(dir).list()).map(({ usd }) => usd)).toEqual([2, undefined]);
  await expect(money.lane().reserve({ ...record, call: 'c3', worstUsd: 1 }, 10)).rejects.toMatchObject({
    code: 'budget_exceeded',
  });
});

test('a settlement does not wait for long when no call of its lane follows', async () => {
  const dir = await scratch();
  const lane = deferSettlement(openFileSpending(dir)).lane();
  await lane.reserve({ ...record, call: 'c1' }, 10);
  await lane.settle('c1', usage, { price: PRICE });
  await expect.poll(async () => (await openFileSpending(dir).list())[0]?.usd).toBe(2);
});

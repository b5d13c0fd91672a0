import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileSpending } from '../../../src/adapters/files/file-spending.ts';
import { scratch } from '../../support/scratch.ts';

const PRICE = { input: 1, output: 10, cacheWrite: 1, cacheRead: 0 };
const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100_000 };
const call = (name: string) => ({ call: name, agent: 'init', model: 'm', worstUsd: 1 });

async function ledger(calls: number) {
  const dir = await scratch();
  const spending = openFileSpending(dir);
  for (let number = 0; number < calls; number += 1) {
    await spending.reserve(call(`c${number}`), 100);
    await spending.settle(`c${number}`, USAGE, { price: PRICE });
  }
  return { dir, spending, names: async () => (await readdir(join(dir, 'spend'))).toSorted() };
}

test('a packed ledger is one file, says the same, and goes on', async () => {
  const { dir, spending, names } = await ledger(5);
  const before = await spending.list();
  expect(await names()).toHaveLength(10);
  await openFileSpending(dir).pack();
  expect(await names()).toEqual(['packed.jsonl']);
  expect(await spending.list()).toEqual(before);
  expect(await openFileSpending(dir).list()).toEqual(before);
  await openFileSpending(dir).reserve(call('later'), 100);
  expect(await names()).toEqual(['000010.json', 'packed.jsonl']);
  await spending.pack();
  await spending.pack();
  expect(await names()).toEqual(['packed.jsonl']);
  expect((await openFileSpending(dir).list()).map((one) => one.call)).toEqual([
    ...before.map((one) => one.call),
    'later',
  ]);
});

test('who had it open while another spent and packed sees that before it decides', async () => {
  const { dir, spending } = await ledger(1);
  const other = openFileSpending(dir);
  for (const name of ['a', 'b']) await other.reserve(call(name), 3);
  await other.pack();
  await expect(spending.reserve(call('c'), 3)).rejects.toMatchObject({ code: 'budget_exceeded' });
});

test('what a process that knows of no pack writes late is counted, under whatever number', async () => {
  const { dir, spending, names } = await ledger(4);
  const [before] = await spending.list();
  await openFileSpending(dir).pack();
  const late = { version: 1, type: 'settled', call: 'late', usd: 2, usage: USAGE };
  await writeFile(join(dir, 'spend/000003.json'), `${JSON.stringify(late)}\n`);
  const sum = async () => (await openFileSpending(dir).list()).reduce((all, { usd }) => all + usd, 0);
  expect(await sum()).toBeCloseTo(4 * (before?.usd ?? 0) + 2);
  await openFileSpending(dir).pack();
  expect(await names()).toEqual(['packed.jsonl']);
  expect(await sum()).toBeCloseTo(4 * (before?.usd ?? 0) + 2);
});

test('a pack that was broken off before the files were removed counts nothing twice', async () => {
  const { dir, spending, names } = await ledger(3);
  const before = await spending.list();
  const files = await Promise.all(
    (await names()).map(async (name) => [name, await readFile(join(dir, 'spend', name))] as const),
  );
  await openFileSpending(dir).pack();
  for (const [name, bytes] of files.slice(1)) await writeFile(join(dir, 'spend', name), bytes);
  expect(await openFileSpending(dir).list()).toEqual(before);
  await openFileSpending(dir).pack();
  expect(await names()).toEqual(['packed.jsonl']);
  expect(await openFileSpending(dir).list()).toEqual(before);
});

test('each file in the pack has its digest', async () => {
  const { dir, spending } = await ledger(2);
  await spending.pack();
  const path = join(dir, 'spend/packed.jsonl');
  await writeFile(path, (await readFile(path, 'utf8')).replace('"call":"c1"', '"call":"c7"'));
  await expect(openFileSpending(dir).list()).rejects.toMatchObject({
    code: 'data_corrupt',
    message: expect.stringContaining('000002.json in it has another digest'),
  });
});

test('readers and writers go on while it is packed', async () => {
  const { dir, spending } = await ledger(0);
  const work = Array.from({ length: 40 }, async (_, number) => {
    const own = number % 2 === 0 ? spending : openFileSpending(dir);
    await own.reserve(call(`c${number}`), 100);
    if (number % 5 === 0) await openFileSpending(dir).pack();
    await own.settle(`c${number}`, USAGE, { price: PRICE });
    await own.list();
  });
  await Promise.all(work);
  const names = (await openFileSpending(dir).list()).map((one) => one.call).toSorted();
  expect(names).toEqual(Array.from({ length: 40 }, (_, number) => `c${number}`).toSorted());
});

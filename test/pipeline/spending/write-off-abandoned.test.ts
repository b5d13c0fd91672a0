/** Reservations that nobody settles any more, once their step has ended. */
import { expect, test } from 'vitest';
import { openFileSpending } from '../../../src/adapters/files/file-spending.ts';
import { writeOffAbandoned } from '../../../src/pipeline/spending/write-off-abandoned.ts';
import { scratch } from '../../support/scratch.ts';

const price = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 };

test('what a step still holds is uncertain; other steps, settled calls and late answers are left as they are', async () => {
  const spending = openFileSpending(await scratch());
  const asked = (call: string) => ({ call, agent: 'init', model: 'm', worstUsd: 0.25 });
  for (const call of ['design.r1.a', 'design.r1.b', 'design.r10.a', 'design.r1.c'])
    await spending.reserve(asked(call), 5);
  await spending.release('design.r1.b');
  await writeOffAbandoned(spending, 'design.r1');
  const money = async () =>
    (await spending.list()).map(({ call, usd, reservedUsd, uncertainUsd }) => [call, usd, reservedUsd, uncertainUsd]);
  expect(await money()).toEqual([
    ['design.r1.a', 0, 0, 0.25],
    ['design.r10.a', 0, 0.25, 0],
    ['design.r1.c', 0, 0, 0.25],
  ]);
  const usage = {
    input_tokens: 1_000_000,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  await spending.settle('design.r1.c', usage, { price, nth: 0 });
  expect((await money()).at(-1)).toEqual(['design.r1.c', 1, 0, 0]);
});

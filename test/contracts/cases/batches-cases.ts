/** The rules of every batch store: batches are found by id, and all processes share one budget of a batch. */
import assert from 'node:assert/strict';
import type { BatchStore } from '../../../src/ports/batches.ts';
import { createCases, type Checks, type ContractCase } from './contract-case.ts';
import { assertRejects } from './assertions.ts';

export type BatchesUnderTest = { batches: BatchStore; another: () => BatchStore };

const price = { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 };
const usage = { input_tokens: 1e6, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

const CHECKS: Checks<BatchesUnderTest> = {
  'are there for everybody, until they are removed': async ({ batches, another }) => {
    assert.deepEqual(await batches.ids(), []);
    assert.equal(await batches.read('night'), undefined);
    await batches.write('night', '{"a":1}');
    await batches.write('day', '{"b":1}');
    await batches.write('night', '{"a":2}');
    assert.deepEqual(await another().ids(), ['day', 'night']);
    assert.deepEqual(JSON.parse((await another().read('night')) ?? ''), { a: 2 });
    await another().remove('night');
    assert.deepEqual(await batches.ids(), ['day']);
    assert.equal(await batches.read('night'), undefined);
  },
  'have one cap over all who spend': async ({ batches, another }) => {
    await batches.write('night', '{}');
    const [one, other] = [await batches.spending('night'), await another().spending('night')];
    const call = (nth: number) => ({ call: `r${nth}/init.0001`, agent: 'init', model: 'm', worstUsd: 2 });
    await one.reserve(call(1), 3);
    await assertRejects(other.reserve(call(2), 3), { code: 'budget_exceeded' });
    await one.settle('r1/init.0001', usage, { price });
    await other.reserve(call(2), 3);
    assert.deepEqual(
      (await one.list()).map(({ call: made, usd }) => [made, usd]),
      [
        ['r1/init.0001', 1],
        ['r2/init.0001', 0],
      ],
    );
  },
};

export function batchesCases(make: () => Promise<BatchesUnderTest>): ContractCase[] {
  return createCases(CHECKS, make);
}

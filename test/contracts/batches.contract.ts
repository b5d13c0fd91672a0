/** What every home of batches must do: they are found by id, and their money is one for all who share it. */
import { describe, expect, test } from 'vitest';
import type { BatchStore } from '../../src/ports/batches.ts';

export type BatchesUnderTest = { batches: BatchStore; another: () => BatchStore };

const price = { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 };
const usage = { input_tokens: 1e6, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

export function batchesContract(name: string, make: () => Promise<BatchesUnderTest>): void {
  describe(`batches contract: ${name}`, () => {
    test('are there for everybody, until they are removed', async () => {
      const { batches, another } = await make();
      expect(await batches.ids()).toEqual([]);
      expect(await batches.read('night')).toBeUndefined();
      await batches.write('night', '{"a":1}');
      await batches.write('day', '{"b":1}');
      await batches.write('night', '{"a":2}');
      expect(await another().ids()).toEqual(['day', 'night']);
      expect(JSON.parse((await another().read('night')) ?? '')).toEqual({ a: 2 });
      await another().remove('night');
      expect(await batches.ids()).toEqual(['day']);
      expect(await batches.read('night')).toBeUndefined();
    });

    test('have one cap over all who spend', async () => {
      const { batches, another } = await make();
      await batches.write('night', '{}');
      const [one, other] = [await batches.spending('night'), await another().spending('night')];
      const call = (nth: number) => ({ call: `r${nth}/init.0001`, agent: 'init', model: 'm', worstUsd: 2 });
      await one.reserve(call(1), 3);
      await expect(other.reserve(call(2), 3)).rejects.toMatchObject({ code: 'budget_exceeded' });
      await one.settle('r1/init.0001', usage, { price });
      await other.reserve(call(2), 3);
      expect((await one.list()).map(({ call: made, usd }) => [made, usd])).toEqual([
        ['r1/init.0001', 1],
        ['r2/init.0001', 0],
      ]);
    });
  });
}

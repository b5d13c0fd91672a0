/** The cases of the port, in our own runner. */
import { describe, test } from 'vitest';
import { batchesCases, type BatchesUnderTest } from './cases/batches-cases.ts';

export function batchesContract(name: string, make: () => Promise<BatchesUnderTest>): void {
  describe(`batches contract: ${name}`, () => {
    for (const { title, run } of batchesCases(make)) test(title, run);
  });
}

/** The cases of the library, in our own runner. */
import { describe, test } from 'vitest';
import { batchesCases, type BatchesUnderTest } from '../../src/app/contracts/batches-cases.ts';

export function batchesContract(name: string, make: () => Promise<BatchesUnderTest>): void {
  describe(`batches contract: ${name}`, () => {
    for (const { title, run } of batchesCases(make)) test(title, run);
  });
}

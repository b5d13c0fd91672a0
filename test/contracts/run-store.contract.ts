/** The cases of the library, in our own runner. */
import { describe, test } from 'vitest';
import { runStoreCases, type StoreUnderTest } from '../../src/app/contracts/run-store-cases.ts';

export { createEntry } from '../../src/app/contracts/run-store-cases.ts';

export type { StoreUnderTest };

export function runStoreContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`run-store contract: ${name}`, () => {
    for (const { title, run } of runStoreCases(make)) test(title, run);
  });
}

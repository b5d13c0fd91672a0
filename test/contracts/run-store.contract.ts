/** The cases of the port, in our own runner. */
import { describe, test } from 'vitest';
import { runStoreCases, type StoreUnderTest } from './cases/run-store-cases.ts';

export { createEntry } from './cases/run-store-cases.ts';

export type { StoreUnderTest };

export function runStoreContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`run-store contract: ${name}`, () => {
    for (const { title, run } of runStoreCases(make)) test(title, run);
  });
}

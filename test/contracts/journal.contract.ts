/** The cases of the library, in our own runner. */
import { describe, test } from 'vitest';
import { journalCases, type JournalUnderTest } from '../../src/app/contracts/journal-cases.ts';

export function journalContract(name: string, make: () => Promise<JournalUnderTest>): void {
  describe(`journal contract: ${name}`, () => {
    for (const { title, run } of journalCases(make)) test(title, run);
  });
}

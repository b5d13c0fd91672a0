/** The cases of the port, in our own runner. */
import { describe, test } from 'vitest';
import { journalCases, type JournalUnderTest } from './cases/journal-cases.ts';

export function journalContract(name: string, make: () => Promise<JournalUnderTest>): void {
  describe(`journal contract: ${name}`, () => {
    for (const { title, run } of journalCases(make)) test(title, run);
  });
}

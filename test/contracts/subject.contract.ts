/** What every subject that is no model does: the cases of the library, in our own runner. */
import { describe, test } from 'vitest';
import { subjectCases, type OpenSubject } from './cases/subject-cases.ts';

export type { OpenSubject };

/** `mayFinish`: false where the protocol has no word for being done. */
export function subjectContract(name: string, open: OpenSubject, options: { mayFinish?: boolean } = {}): void {
  describe(`${name} keeps the contract of a subject`, () => {
    for (const { title, run } of subjectCases(open, options)) test(title, run);
  });
}

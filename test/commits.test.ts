/** Subjects of commits are `type(room): what a reader gains`, at most 72 characters (CONTRIBUTING.md). */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The last commit before the rule was checked; a shallow clone does not hold it, and then only the newest commit is read. */
const LAST_UNCHECKED = '46590db50b9d28f460673f0d26798dc9b8d28442';
const SUBJECT = /^[a-z]+(?:\([a-z0-9 ,./-]+\))?: \S/;

function listSubjects(): string[] {
  if (!existsSync('.git')) return [];
  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const format = ['log', '--no-merges', '--format=%s'];
  try {
    return git(...format, `${LAST_UNCHECKED}..HEAD`).split('\n');
  } catch {
    return git(...format, '-1').split('\n');
  }
}

test('every subject names its type and says in 72 characters what a reader gains', () => {
  expect('fix(gate): an image is no source').toMatch(SUBJECT);
  expect('Fixed things').not.toMatch(SUBJECT);
  const subjects = listSubjects().filter((subject) => subject !== '');
  expect(subjects.filter((subject) => subject.length > 72 || !SUBJECT.test(subject))).toEqual([]);
});

import { createTwoFilesPatch } from 'diff';
import { expect, test } from 'vitest';
import { diffLines } from '../../../../src/web/pages/design/diff-lines.ts';

test('every line knows its file and its numbers in both files', () => {
  const old = 'a\nb\nc\nd\n';
  const now = 'a\nB\nc\nd\ne\n';
  const lines = diffLines(createTwoFilesPatch('design/r1/x.yaml', 'design/r2/x.yaml', old, now));
  expect(lines.filter(({ kind }) => !['file', 'hunk'].includes(kind))).toEqual([
    { kind: 'same', text: ' a', file: 'x.yaml', old: 1, now: 1 },
    { kind: 'removed', text: '-b', file: 'x.yaml', old: 2 },
    { kind: 'added', text: '+B', file: 'x.yaml', now: 2 },
    { kind: 'same', text: ' c', file: 'x.yaml', old: 3, now: 3 },
    { kind: 'same', text: ' d', file: 'x.yaml', old: 4, now: 4 },
    { kind: 'added', text: '+e', file: 'x.yaml', now: 5 },
  ]);
});

test('text that looks like a header inside of a hunk is text, and the next file begins where it does', () => {
  const one = createTwoFilesPatch('design/r1/a.md', 'design/r2/a.md', '-- x\n', '++ y\n@@ -1 +1 @@\n');
  const two = createTwoFilesPatch('design/r1/b.yaml', 'design/r2/b.yaml', 'p\n', 'q\n');
  const lines = diffLines([one, two].join('\n'));
  expect(lines.filter(({ kind }) => kind === 'added' || kind === 'removed')).toEqual([
    { kind: 'removed', text: '--- x', file: 'a.md', old: 1 },
    { kind: 'added', text: '+++ y', file: 'a.md', now: 1 },
    { kind: 'added', text: '+@@ -1 +1 @@', file: 'a.md', now: 2 },
    { kind: 'removed', text: '-p', file: 'b.yaml', old: 1 },
    { kind: 'added', text: '+q', file: 'b.yaml', now: 1 },
  ]);
});

test('what is no diff is a note', () => {
  expect(diffLines('design/r2/a.md: the difference is too large.\n')).toEqual([
    { kind: 'note', text: 'design/r2/a.md: the difference is too large.', file: '' },
  ]);
  expect(diffLines('')).toEqual([]);
});

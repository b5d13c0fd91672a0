/** `@path` in a person's words becomes a reminder to read (S1.11). */
import { describe, expect, test } from 'vitest';
import {
  looksLikeFile,
  resolveMentions,
  parseMentions,
  formatMissing,
  formatReminder,
} from '../../../src/gate/rules/mentions.ts';

describe('S1.11: files that are mentioned', () => {
  test.each([
    ['see @design/r1/business_rules.yaml.', ['design/r1/business_rules.yaml']],
    ['@b.md then @a.md, and @b.md again', ['b.md', 'a.md']],
    ['@"two words.md" and @设计/规则.md', ['two words.md', '设计/规则.md']],
    ['write to ada@example.org or 3@x', []],
    ['(@a.md) "@b.md"', ['a.md', 'b.md']],
    ['@ @... @""', []],
    ['@report(1).md (@a.md) @b[2].md)', ['report(1).md', 'a.md', 'b[2].md']],
    ['@my\\ notes/x.md @a\\(b', ['my notes/x.md', 'a(b']],
    ['at f (/app/node_modules/@scope/pkg/i.js:1:2) https://x.org/@ada/b.md git@h.org:a.git -F f=@up.zip', []],
    ['请看@规则.md和第3条@a.md，写信给 иван@почта.рф', ['规则.md和第3条', 'a.md']],
  ])('%j names %j, in order and once each', (text, inside) => {
    expect(parseMentions(text)).toEqual({ inside, outside: [] });
  });

  test.each([
    ['notes.md', true],
    ['a/b.tar.gz', true],
    ['c.md的', true],
    ['types/node', false],
    ['angular/core', false],
    ['ada', false],
    ['core@1.2.3', false],
    ['v1.2', false],
  ])('%s looks like a file: %s', (name, looks) => {
    expect(looksLikeFile(name)).toBe(looks);
  });

  test('an accent that is a character of its own in the name on disk is the same name', () => {
    const onDisk = 'notes/résumé.md'.normalize('NFD');
    for (const name of ['notes/résumé.md', 'résumé.md']) expect(all(`@${name}`, [onDisk]).found).toEqual([onDisk]);
  });

  const all = (text: string, known = parseMentions(text).inside) =>
    resolveMentions(parseMentions(text), 'design/r1', known);

  test('five are named and the others counted, of those that are missing too', () => {
    const text = Array.from({ length: 8 }, (_, n) => `@f${n}.md`).join(' ');
    const paths = 'f0.md, f1.md, f2.md, f3.md, f4.md';
    expect(formatReminder(all(text))).toEqual({ paths, more: ' (and 3 more…)' });
    expect(formatMissing(all(text, []))).toEqual({ missing: `${paths} (and 3 more…)` });
  });

  test('what leads out of the run is left out with a note, and alone it reminds of nothing', () => {
    const found = parseMentions('@a..b.md @../up.md @/etc/passwd @x/../../y');
    expect(found).toEqual({ inside: ['a..b.md'], outside: ['../up.md', '/etc/passwd', 'x/../../y'] });
    const named = all('@a..b.md @../up.md @/etc/passwd @x/../../y');
    expect(formatReminder(named)?.more).toBe(' (outside of the run, so left out: ../up.md, /etc/passwd, x/../../y)');
    expect(formatReminder(all('@../up.md'))).toBeUndefined();
    expect(formatMissing(all('@../up.md'))).toBeUndefined();
  });

  test('exactly five are all of them', () => {
    const text = '@1.md @2.md @3.md @4.md @5.md';
    expect(formatReminder(all(text))?.more).toBe('');
    expect(formatMissing(all(text, []))?.missing).toBe('1.md, 2.md, 3.md, 4.md, 5.md');
  });

  test('of several files of that name the one of the design comes before a newer one', () => {
    const known = ['design/r1/b.md', 'design/r2/b.md', 'design/r3/b.md'];
    expect(resolveMentions(parseMentions('@b.md @" "'), 'design/r2', known).found).toEqual(['design/r2/b.md']);
  });

  test('of those outside, too, five are named', () => {
    const out = all(`@a.md ${[1, 2, 3, 4, 5, 6].map((at) => `@../${at}.md`).join(' ')}`);
    expect(formatReminder({ ...out, found: ['a.md'] })?.more).toBe(
      ' (outside of the run, so left out: ../1.md, ../2.md, ../3.md, ../4.md, ../5.md)',
    );
  });

  test('an end of a path names the file of the design, then the newest; text that follows at once is no part of it', () => {
    const known = ['execution_outputs/iteration_9/a.md', 'execution_outputs/iteration_10/a.md', 'design/r1/b.md'];
    const text = '@a.md的第二条 @b.md，@c.md的 @ada @design/r1/b.md再';
    expect(resolveMentions(parseMentions(text), 'design/r1', known)).toEqual({
      found: ['execution_outputs/iteration_10/a.md', 'design/r1/b.md'],
      missing: ['c.md的'],
      outside: [],
    });
  });
});

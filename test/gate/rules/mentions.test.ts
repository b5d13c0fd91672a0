/** `@path` in a person's words becomes a reminder to read (S1.11). */
import { describe, expect, test } from 'vitest';
import { mentionsIn, reminderOf } from '../../../src/gate/rules/mentions.ts';

describe('S1.11: files that are mentioned', () => {
  test.each([
    ['see @design/r1/business_rules.yaml.', ['design/r1/business_rules.yaml']],
    ['@b.md then @a.md, and @b.md again', ['b.md', 'a.md']],
    ['@"two words.md" and @设计/规则.md', ['two words.md', '设计/规则.md']],
    ['write to ada@example.org or 3@x', []],
    ['(@a.md) "@b.md"', ['a.md', 'b.md']],
    ['@ @... @""', []],
  ])('%j names %j, in order and once each', (text, inside) => {
    expect(mentionsIn(text)).toEqual({ inside, outside: [] });
  });

  test('five are named and the others counted', () => {
    const text = Array.from({ length: 8 }, (_, n) => `@f${n}.md`).join(' ');
    expect(reminderOf(mentionsIn(text))).toEqual({
      paths: 'f0.md, f1.md, f2.md, f3.md, f4.md',
      more: ' (and 3 more…)',
    });
  });

  test('what leads out of the run is left out with a note, and alone it reminds of nothing', () => {
    const found = mentionsIn('@a..b.md @../up.md @/etc/passwd @x/../../y');
    expect(found).toEqual({ inside: ['a..b.md'], outside: ['../up.md', '/etc/passwd', 'x/../../y'] });
    expect(reminderOf(found)?.more).toBe(' (outside of the run, so left out: ../up.md, /etc/passwd, x/../../y)');
    expect(reminderOf(mentionsIn('@../up.md'))).toBeUndefined();
  });
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern } from '../../../src/scenario/json/pattern.ts';
import { threadCpu } from '../../support/thread-cpu.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const SOURCES = [
  '^HW-\\d{4}$',
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  'a|bc|',
  '^(?:ab?){2,3}c*?$',
  '[^abc\\d]+$',
  '^a{2}b{1,}c{0,2}$',
  '.\\.x',
  '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
  '(a*)*b',
  '^$',
  '\\bHW|\\/',
  '^(?<first>a)b',
  '^\\p{L}+$',
  '^[\\s\\S]{3}$',
  '^[^\\S]+$',
  '^.$',
  '^(?!a)(?=.{2,5}$)[a-z]+$',
];

test('finds what the built-in engine finds', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcHW-0123.@/x \u00a0\v\r\u2028é'.split('')), maxLength: 14 });
  fc.assert(
    fc.property(fc.constantFrom(...SOURCES), text, (source, subject) => {
      const pattern = compilePattern(source);
      expect(pattern.ok, source).toBe(true);
      expect(pattern.ok && pattern.matches(subject), source).toBe(new RegExp(source, 'u').test(subject));
    }),
    propertyRuns(2000),
  );
});

test('a pattern that would never end elsewhere ends at once', () => {
  const cpu = threadCpu();
  for (const source of ['^(a+)+(a|a)*(a*)*$', '^(a|a)*$', '(a+a+)+b', '^(a?){200}a*$']) {
    const hostile = compilePattern(source);
    expect(hostile.ok && hostile.matches(`${'a'.repeat(9000)}!`), source).toBe(false);
  }
  expect(cpu()).toBeLessThan(4000);
});

test.each([
  '(?=a)',
  '(?<!a)b',
  '(a)\\1',
  '(?<name>a)\\k<name>',
  'a(?!b)',
  '^(?!a)b|c',
  '\\p{Nothing}',
  '(?i)a',
  '\\A',
  '[[:alpha:]]',
  '(a',
  'a)',
  '[a',
  '*a',
  'a**',
  '[z-a]',
  'a{3,1}',
  'a{5000}',
  '((a{99}){99}){99}',
  'a\\',
])('refuses %s and says why', (source) => {
  const pattern = compilePattern(source);
  expect(pattern).toMatchObject({ ok: false, fault: expect.stringMatching(/\w/) });
});

test('a text that is too long matches nothing', () => {
  const pattern = compilePattern('a');
  expect(pattern.ok && pattern.matches('a'.repeat(20_000))).toBe(false);
});

test('an escape that JavaScript does not need is read as the character', () => {
  for (const [source, text] of [
    ['^a\\-b$', 'a-b'],
    ['^\\@\\_$', '@_'],
    ['^[a\\-z]$', '-'],
  ] as const) {
    const pattern = compilePattern(source);
    expect(pattern.ok && pattern.matches(text), source).toBe(true);
  }
});

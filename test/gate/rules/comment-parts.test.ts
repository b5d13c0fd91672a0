import { expect, test } from 'vitest';
import { formatAnchored, splitComment, parseAnchor, toQuotableText } from '../../../src/gate/rules/comment-parts.ts';

test('an answer falls into its anchored comments and the rest', () => {
  const answer = ['R4: from when?', 'from delivery?', 'business_rules.yaml:12: too vague', '', 'No negative cases.'];
  expect(splitComment(answer.join('\n'))).toEqual([
    { anchor: 'R4', text: 'R4: from when?\nfrom delivery?' },
    { anchor: 'business_rules.yaml:12', text: 'business_rules.yaml:12: too vague' },
    { text: 'No negative cases.' },
  ]);
});

test('an anchored comment goes on over its lines until one is blank, be it of spaces', () => {
  expect(splitComment('R4: from when?\nfrom delivery?\nor from sale?\n \t\nGo on.')).toEqual([
    { anchor: 'R4', text: 'R4: from when?\nfrom delivery?\nor from sale?' },
    { text: 'Go on.' },
  ]);
});

test('what has no anchor is one comment, whatever its lines', () => {
  expect(splitComment('one\n\ntwo\nR4 is named, not pointed at')).toEqual([
    { text: 'one\n\ntwo\nR4 is named, not pointed at' },
  ]);
  expect(splitComment(' \n ')).toEqual([]);
});

test.each([
  ['R4', { kind: 'rule', rule: 'R4' }],
  ['R4 "30 days"', { kind: 'rule', rule: 'R4', quote: '30 days' }],
  ['business_rules.yaml:12', { kind: 'line', file: 'business_rules.yaml', line: 12 }],
  ['format_spec.yaml removed "a: b"', { kind: 'removed', file: 'format_spec.yaml', quote: 'a: b' }],
])('%s is an anchor', (text, anchor) => {
  expect(parseAnchor(text)).toEqual(anchor);
});

test.each([
  '',
  'R0',
  'R4 ',
  'R4 "a" b"',
  'R4 "a\nb"',
  '__proto__',
  '../../etc/passwd:1',
  'business_rules.yaml:0',
  'a.js:1',
  `R4 "${'x'.repeat(201)}"`,
  'R1: R2',
])('%j is none', (text) => {
  expect(parseAnchor(text)).toBeUndefined();
});

test('a comment with a blank line in it stays whole, and quoted words keep to one line', () => {
  const text = formatAnchored('R4', ' one\n\n \ntwo ');
  expect(splitComment(text)).toEqual([{ anchor: 'R4', text: 'R4: one\ntwo' }]);
  expect(toQuotableText(' say "a\n b" ')).toBe("say 'a b'");
  expect(toQuotableText('x'.repeat(500))).toHaveLength(90);
});

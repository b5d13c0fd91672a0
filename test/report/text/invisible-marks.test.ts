import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeField, encodeField } from '../../../src/report/text/invisible-marks.ts';
import { neutraliseText } from '../../../src/report/text/sanitise.ts';
import { anyCharacter } from '../../support/any-character.ts';

const WILD = [
  ...'\u200f|\u202e|\u2060|\ufeff|\u00ad|\u200d|\ue000|\u2028|\ufffe|\u0000|\f|\r|\n|\t|⟦|⟧|U+|a'.split('|'),
  '\r\n',
  '⟦U+200F⟧',
  'a\u0301\u0302\u0303\u0304\u0305\u0306',
  '👩‍👩‍👧',
];
const wild = fc
  .array(fc.oneof(fc.constantFrom(...WILD), fc.string({ unit: anyCharacter })))
  .map((parts) => parts.join(''));

/** What a browser does with a field: line ends become CR LF on the way back. */
const sent = (field: string) => neutraliseText(field).replaceAll('\n', '\r\n');

test('what nobody touched comes back as it was, whatever it holds', () => {
  fc.assert(
    fc.property(wild, (text) => {
      expect(decodeField(sent(encodeField(text)), text)).toBe(text);
    }),
  );
});

test('shows what cannot be seen', () => {
  expect(encodeField('a\u200fb\fc⟦\n')).toBe('a⟦U+200F⟧b⟦U+000C⟧c⟦U+27E6⟧\n');
  expect(encodeField('one\r\ntwo\r\n')).toBe('one\ntwo\n');
  expect(encodeField('one\r\ntwo\n')).toBe('one⟦U+000D⟧\ntwo\n');
});

test('an edit of one line leaves the others alone, and a mark that is no character is text', () => {
  const before = 'first \u200f\r\nsecond\r\n\r\n';
  const field = encodeField(before).replace('second', 'third');
  expect(decodeField(sent(field), before)).toBe('first \u200f\r\nthird\r\n\r\n');
  expect(decodeField('⟦U+FFFFFF⟧', '')).toBe('⟦U+FFFFFF⟧');
});

/** JSON that people write: read as `JSON.parse` reads it, or refused with the line and the remedy. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, parseStrictJson } from '../src/parse-json.ts';
import { propertyRuns } from './support/property-runs.ts';

test('a text without such faults is read as JSON.parse reads it, also behind a byte order mark', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const read = { ok: true, value: JSON.parse(text) as unknown };
      for (const one of [text, `\uFEFF${text}\r\n`]) expect(parseStrictJson(one)).toEqual(read);
      expect(parseJson(`\uFEFF${text}`)).toEqual(read.value);
    }),
  );
});

test('every other text is refused, and with a line', () => {
  const parts = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"b',
    '1',
    '-',
    '01',
    'null',
    ' ',
    '\n',
    '\\',
    'x',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (some) => {
      const text = some.join('');
      const read = parseStrictJson(text);
      if (parseJson(text) === undefined) expect(read).toMatchObject({ ok: false, line: expect.any(Number) });
      else if (!read.ok) expect(read.fault).toContain('is there twice');
    }),
    propertyRuns(2000),
  );
});

test.each([
  ['{"a": 1,\n"b": {"c": 1},\n"a": 2}', 3, 'the key "a" is there twice, first in line 1: take one of them out'],
  [String.raw`{"a": 1, "\u0061": 2}`, 1, 'is there twice'],
  ['[\n9007199254740993]', 2, '9007199254740993: write it as text, in quotes'],
  ['1e400', 1, '1e400: write it as text, in quotes'],
  ['['.repeat(20_000), 1, 'it is nested more than 64 levels deep'],
  ['{"a":\n\n}', 3, 'it is no JSON: what begins with } does not fit'],
  ['{"a": [1', 1, 'it is no JSON: it breaks off'],
  ['', 1, 'it is no JSON: it breaks off'],
  ['[\u001B[31m]', 1, String.raw`what begins with \u001b[31m] does not fit`],
])('%j', (text, line, fault) => {
  expect(parseStrictJson(text)).toEqual({ ok: false, line, fault: expect.stringContaining(fault) });
});

test('what JavaScript holds exactly stays valid, however large, and a long text overflows nothing', () => {
  for (const text of ['9007199254740992', '-9007199254740991', '1e21', '0.1234567890123456789', '"\\u0000"'])
    expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  const long = 'x\\\n'.repeat(1_000_000);
  expect(parseStrictJson(JSON.stringify(long))).toEqual({ ok: true, value: long });
});

import { expect, test } from 'vitest';
import { lineInJson } from '../../../src/evaluation/components/line-in-json.ts';

const TEXT = JSON.stringify(
  { id: 'a', start: { base: 'b', patch: [{ op: 'add' }, { op: 'remove', path: '/x' }] }, covrs: [] },
  null,
  2,
);
const lineOf = (part: string): number => TEXT.slice(0, TEXT.indexOf(part)).split('\n').length;

test.each([
  ['/: Unrecognized key: "covrs"; did you mean "covers"?', '"covrs"'],
  ['/start/base: there is no world "b"', '"base"'],
  ['/start/patch: operation 1 (remove /x): nothing is there', '"remove"'],
  ['/id: it is "a"; it must be "b"', '"id"'],
])('%s', (fault, part) => {
  const line = lineInJson(TEXT, fault);
  expect([lineOf(part), lineOf(part) - 1]).toContain(line);
  expect(TEXT.split('\n')[(line ?? 0) - 1]).toBeDefined();
});

test('what is nowhere has no line', () => {
  expect(lineInJson(TEXT, '/gone/away: Required')).toBeUndefined();
  expect(lineInJson(TEXT, '/start/patch/0/path: Required')).toBe(lineOf('"add"') - 1);
  expect(lineInJson(TEXT, 'nested too deeply')).toBeUndefined();
});

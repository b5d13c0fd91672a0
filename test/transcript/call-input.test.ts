/** Whatever a model wrote as the input of a call, the call stays, and what it wrote with it. */
import { expect, test } from 'vitest';
import { readCallInput } from '../../src/transcript/call-input.ts';

const ROWS: [unknown, object][] = [
  [{ a: 1 }, { input: { a: 1 } }],
  ['{"a":1}', { input: { a: 1 } }],
  ['{"a":', { input: {}, malformed: '{"a":' }],
  [[1], { input: {}, malformed: '[1]' }],
  [7, { input: {}, malformed: '7' }],
];
const NOTHING = ['', ' null ', '""', '[]', null, undefined, []].map((none): [unknown, object] => [none, { input: {} }]);

test.each([...ROWS, ...NOTHING])('%j', (given, read) => {
  expect(readCallInput(given)).toEqual(read);
});

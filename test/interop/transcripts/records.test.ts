/** A file is cut into records, and every record knows the line on which it begins. */
import { describe, expect, test } from 'vitest';
import { isHarnessError } from '../../../src/errors.ts';
import { splitRecords } from '../../../src/interop/transcripts/import.ts';

const lines = (text: string) => splitRecords(text, 'f').records.map(({ line }) => line);

describe('lines of the elements of a list', () => {
  test.each([
    ['one a line', '[\n{"a":1},\n{"a":2}\n]', [2, 3]],
    ['all on one', '[{"a":1},{"a":2}]', [1, 1]],
    ['comma first', '[\n 1\n , 2\n , 3 ]', [2, 3, 4]],
    ['brackets, commas and quotes within strings', '[\n"]},[{\\"",\n"b",\n"\\\\"\n,4]', [2, 3, 4, 5]],
    ['nested lists and objects', '[\n[1,\n2],\n{"a":[3,\n4]},\n5]', [2, 4, 6]],
    ['space before the list', '\n\n [\n1]', [4]],
    ['a byte order mark', '\uFEFF[\n1]', [2]],
    ['the list of a body', '{\n"messages":\n[\n1,\n2],"x":[7,8,9]}', [4, 5]],
    ['the list of a body, not one of that name deeper inside', '{"a":{"messages":[0]},\n"messages" : [\n1]}', [3]],
    ['a text that reads like the key', '{"a":"\\"messages\\":[",\n"messages":[\n1]}', [3]],
    ['a value that reads like the key', '{"k":["messages"],\n"messages":[\n1]}', [3]],
    ['an empty list', '{"messages":[ ]}', []],
  ])('%s', (_name, text, expected) => {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    expect(typeof parsed).toBe('object');
    if (expected.length > 0) expect(lines(text)).toEqual(expected);
    else expect(splitRecords(text, 'f').records).toEqual([]);
  });
});

describe('JSONL', () => {
  test('blank lines count, broken lines are noted, the torn last one by its own word', () => {
    const cut = splitRecords('{"a":1}\n\n  \nnope\n{"b":2}\n{"c"', 'f');
    expect(cut.records).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 5, value: { b: 2 } },
    ]);
    expect(cut.notes.map(({ line, text }) => [line, text.slice(0, 10)])).toEqual([
      [4, 'not JSON ('],
      [6, 'the last l'],
    ]);
    expect(cut.whole).toBeUndefined();
  });

  test('one line alone that is broken is not called torn', () => {
    expect(() => splitRecords('{"a"', 'f')).toThrow('f: line 1: not JSON (');
  });

  test('an object without messages is a record of its own', () => {
    expect(splitRecords('{"a":1}', 'f').records).toEqual([{ line: 1, value: { a: 1 } }]);
    expect(splitRecords('{"messages":7}', 'f').records).toHaveLength(1);
    expect(splitRecords('7', 'f').records).toEqual([{ line: 1, value: 7 }]);
    expect(splitRecords('null', 'f').records).toEqual([{ line: 1, value: null }]);
  });
});

test('nothing to read is `usage` with file and line in message and details', () => {
  const thrown = (() => {
    try {
      return splitRecords('\n', 'chat.json');
    } catch (error) {
      return error;
    }
  })();
  expect(isHarnessError(thrown, 'usage') && thrown.details).toEqual({ file: 'chat.json', line: 1 });
  expect(String(thrown)).toContain('chat.json: line 1: the file is empty. Expected a transcript');
});

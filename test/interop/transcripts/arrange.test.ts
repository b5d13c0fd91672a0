/** What was recorded comes into the order of the wire; what has no place in it is left out with its line. */
import { describe, expect, test } from 'vitest';
import { arrangeItems } from '../../../src/interop/transcripts/arrange.ts';
import type { ImportedItem } from '../../../src/interop/transcripts/imported-item.ts';
import { parseTime } from '../../../src/interop/transcripts/imported-item.ts';
import type { Block } from '../../../src/transcript/message.ts';

const text = (said: string): Block => ({ type: 'text', text: said });
const call = (id: string): Block => ({ type: 'tool_use', id, name: 'n', input: {} });
const result = (id: string, said = 'r'): Block => ({ type: 'tool_result', tool_use_id: id, content: said });
const answer = (line: number, key: string | undefined, blocks: Block[], more: object = {}): ImportedItem => ({
  kind: 'answer',
  line,
  key,
  blocks,
  ...more,
});
const results = (line: number, blocks: Block[], more: object = {}): ImportedItem => ({
  kind: 'results',
  line,
  blocks,
  ...more,
});
const said = (line: number, blocks: Block[]): ImportedItem => ({ kind: 'said', line, origin: 'human', blocks });
const usage = (output: number) => ({
  input_tokens: 1,
  output_tokens: output,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
});
const contents = (items: ImportedItem[]) => arrangeItems(items).entries.map(({ message }) => message.content);

describe('order', () => {
  test('pieces with one key are one response; without a key each is its own', () => {
    expect(contents([answer(1, 'k', [text('a')]), said(2, [text('b')]), answer(3, 'k', [text('c')])])).toEqual([
      [text('a'), text('c')],
      [text('b')],
    ]);
    expect(contents([answer(1, undefined, [text('a')]), answer(2, undefined, [text('b')])])).toHaveLength(2);
  });

  test('the last piece says usage and stop reason; a piece without them takes nothing away', () => {
    const [first] = arrangeItems([
      answer(1, 'k', [text('a')], { usage: usage(1), stopReason: 'tool_use', model: 'm' }),
      answer(2, 'k', [text('b')], { usage: usage(9), stopReason: 'max_tokens' }),
      answer(3, 'k', [text('c')]),
    ]).entries;
    expect(first?.response).toEqual({ model: 'm', stopReason: 'max_tokens', usage: usage(9), view: 'e0' });
  });

  test('where no stop reason was recorded, a call says it', () => {
    const reasons = arrangeItems([
      answer(1, undefined, [call('a')], { usage: usage(1) }),
      answer(2, undefined, [text('b')], { usage: usage(1) }),
      answer(3, undefined, [text('c')]),
    ]).entries.map(({ response }) => response && [response.stopReason, response.model]);
    expect(reasons).toEqual([['tool_use', 'unknown'], ['end_turn', 'unknown'], undefined]);
  });

  test('results follow their call, wherever they were written, all in one message', () => {
    const arranged = arrangeItems([
      answer(1, undefined, [call('a'), call('b')], { atMs: 1000 }),
      said(2, [text('wait')]),
      results(3, [result('b')], { atMs: 2000 }),
      results(4, [result('a')], { atMs: 3000 }),
    ]);
    expect(arranged.entries.map(({ origin, at }) => [origin, at])).toEqual([
      ['model', '1970-01-01T00:00:01.000Z'],
      ['tools', '1970-01-01T00:00:03.000Z'],
      ['human', undefined],
    ]);
    expect(arranged.entries[1]?.message.content).toEqual([result('b'), result('a')]);
    expect(arranged.entries.map(({ id, parents }) => [id, parents])).toEqual([
      ['e1', []],
      ['e2', ['e1']],
      ['e3', ['e2']],
    ]);
  });

  test('ids become fit for the wire and unique; a result means the latest call of its id (T8)', () => {
    expect(
      contents([
        answer(1, undefined, [call('a|b')]),
        results(2, [result('a|b', 'one')]),
        answer(3, undefined, [call('a|b'), call('')]),
        results(4, [result('a|b', 'two'), result('', 'three')]),
      ]),
    ).toEqual([
      [call('a_b')],
      [result('a_b', 'one')],
      [call('a_b_2'), call('call')],
      [result('a_b_2', 'two'), result('call', 'three')],
    ]);
  });

  test('a message of which nothing is left is none; usage after the recorder compacted counts for its own view (T3)', () => {
    const arranged = arrangeItems([
      said(1, []),
      { kind: 'compacted', line: 2, tokensBefore: 7 },
      { kind: 'compacted', line: 3 },
      answer(4, undefined, [text('a')], { usage: usage(1) }),
    ]);
    expect(arranged.entries).toHaveLength(1);
    expect(arranged.entries[0]?.response?.view).toBe('recorded-2');
    expect(arranged.compactions).toEqual([{ line: 2, tokensBefore: 7 }, { line: 3 }]);
  });
});

describe('what has no place', () => {
  test('two calls with one id in one answer, and again in the next: results in order', () => {
    const { entries, notes } = arrangeItems([
      answer(1, undefined, [call('a'), call('a')]),
      results(2, [result('a'), result('a')]),
      answer(3, undefined, [call('a')]),
      results(4, [result('a')]),
    ]);
    const answered = entries.flatMap(({ message }) => message.content).filter(({ type }) => type === 'tool_result');
    expect(answered).toMatchObject(['a', 'a_2', 'a_3'].map((id) => ({ tool_use_id: id })));
    expect(notes).toEqual([]);
  });

  test('a result without a call, a second result, and blocks that this side cannot say (T6)', () => {
    const long = 'x'.repeat(100);
    const { notes } = arrangeItems([
      results(1, [result(long)]),
      answer(2, undefined, [call('a'), result('z')]),
      results(3, [result('a'), text('no result')]),
      results(4, [result('a')]),
      said(5, [call('b'), text('go')]),
    ]);
    expect(notes).toEqual([
      { line: 1, text: `the result for ${long.slice(0, 80)} answers no call: left out` },
      { line: 2, text: 'tool_result cannot stand in this message: left out' },
      { line: 4, text: 'the result for a is the second one: left out' },
      { line: 5, text: 'tool_use cannot stand in this message: left out' },
    ]);
  });

  test('a text piece is no call: its response gets no results', () => {
    const arranged = arrangeItems([answer(1, undefined, [text('a')]), results(2, [result('undefined')])]);
    expect(arranged.notes).toHaveLength(1);
  });
});

test('times: ISO or milliseconds within what a date can be', () => {
  expect([parseTime('1970-01-01T00:00:01Z'), parseTime(1.6), parseTime(0)]).toEqual([1000, 2, 0]);
  expect([parseTime('soon'), parseTime(-1), parseTime(253_402_300_800_000), parseTime(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(parseTime(253_402_300_799_999)).toBe(253_402_300_799_999);
});

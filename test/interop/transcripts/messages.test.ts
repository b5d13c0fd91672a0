/** Lists of messages of two APIs: who said what, when, at what price, and what could not be read. */
import { describe, expect, test } from 'vitest';
import { readMessages } from '../../../src/interop/transcripts/messages.ts';

const read = (...messages: unknown[]) =>
  readMessages(
    messages.map((value, index) => ({ line: index + 1, value })),
    messages,
  );
const text = (said: string) => ({ type: 'text', text: said });

describe('who speaks', () => {
  test('system words before the conversation are its system prompt, later ones stand where they were said', () => {
    const said = read(
      { role: 'system', content: 'S' },
      { role: 'developer', content: 'D' },
      { role: 'user', content: 'go' },
      { role: 'system', content: 'later' },
    );
    expect(said.system).toEqual(['S', 'D']);
    expect(said.items).toEqual([
      { kind: 'said', line: 3, origin: 'human', blocks: [text('go')] },
      { kind: 'said', line: 4, origin: 'reminder', blocks: [text('later')] },
    ]);
  });

  test('the system prompt of a body comes first, whatever its spelling', () => {
    expect(readMessages([], { system: 'S', messages: [] }).system).toEqual(['S']);
    expect(readMessages([], { system: [text('a'), text('b')], messages: [] }).system).toEqual(['a', 'b']);
    expect(readMessages([], []).system).toEqual([]);
  });

  test('an answer holds its model, usage and time; without them it holds none', () => {
    const [full, bare] = read(
      { role: 'assistant', content: 'a', model: 'm', usage: { input_tokens: 4 }, created: 1000 },
      { role: 'assistant', content: 'b', model: 7, usage: {} },
    ).items;
    expect(full).toEqual({
      kind: 'answer',
      line: 1,
      key: undefined,
      blocks: [text('a')],
      model: 'm',
      usage: { input_tokens: 4, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      atMs: 1000,
    });
    expect(bare).toEqual({ kind: 'answer', line: 2, key: undefined, blocks: [text('b')] });
  });

  test('results by call, by function name or by id; failure in either spelling', () => {
    const results = read(
      { role: 'tool', tool_call_id: 'c', name: 'n', content: 'r', is_error: true, timestamp: '1970-01-01T00:00:01Z' },
      { role: 'function', name: 'n', content: 'r', error: true },
      { role: 'tool', id: 'i', content: 'r', error: 'no' },
    ).items;
    expect(results).toMatchObject([
      { kind: 'results', line: 1, blocks: [{ tool_use_id: 'c', is_error: true }], atMs: 1000 },
      { kind: 'results', line: 2, blocks: [{ tool_use_id: 'n', is_error: true }] },
      { kind: 'results', line: 3, blocks: [{ tool_use_id: 'i' }] },
    ]);
    expect(results[2]).not.toHaveProperty('blocks.0.is_error');
  });

  test('words after results in one message are of the person too, as alone', () => {
    const result = { type: 'tool_result', tool_use_id: 'c' };
    const items = read({ role: 'user', content: [result, text('mind')] }, { role: 'user', content: 'go' }).items;
    expect(items.map((item) => (item.kind === 'said' ? item.origin : item.kind))).toEqual([
      'results',
      'human',
      'human',
    ]);
    expect(read({ role: 'user', content: [] }).items).toEqual([]);
  });
});

describe('what cannot be read is named with its line', () => {
  test.each([
    ['no message', 7, 'no message: expected an object with `role`'],
    ['an unknown role', { role: 'robot' }, 'role "robot" is not known: left out'],
    [
      'unknown blocks, each once',
      { role: 'user', content: [{ type: 'x' }, { type: 'x' }, { type: 'y' }] },
      'left out: x, y',
    ],
    ['calls that are no list', { role: 'assistant', tool_calls: 7 }, '`tool_calls` is no list of calls: left out'],
    [
      'a call without a name',
      { role: 'assistant', tool_calls: [{ id: 'c' }] },
      'the call of undefined cannot be read: left out',
    ],
  ])('%s', (_name, message, says) => {
    expect(read({ role: 'user', content: 'go' }, message).notes).toEqual([{ line: 2, text: says }]);
  });

  test('`tool_calls: null` is no complaint', () => {
    expect(read({ role: 'assistant', content: 'a', tool_calls: null }).notes).toEqual([]);
  });
});

describe('calls of the chat API', () => {
  const inputs = (call: object) =>
    read({ role: 'assistant', ...call }).items.flatMap((item) =>
      item.kind === 'compacted'
        ? []
        : item.blocks.map((block) =>
            block.type === 'tool_use' ? [block.id, block.name, block.malformed ?? block.input] : block,
          ),
    );

  test.each([
    ['JSON in a string', '{"a":1}', { a: 1 }],
    ['an object', { a: 1 }, { a: 1 }],
    ['nothing', undefined, {}],
    ['an empty string', '', {}],
    ['a list, which no tool takes', '[1]', '[1]'],
    ['null', 'null', {}],
    ['broken JSON', '{a', '{a'],
  ])('arguments: %s', (_name, raw, input) => {
    expect(inputs({ tool_calls: [{ id: 'c', function: { name: 'f', arguments: raw } }] })).toEqual([['c', 'f', input]]);
  });

  test('one bad call takes no other away, and an answer that is an object is its JSON', () => {
    const good = { id: 'c', function: { name: 'f', arguments: '{}' } };
    const { items, notes } = read(
      { role: 'assistant', tool_calls: [null, good] },
      { role: 'tool', tool_call_id: 'c', content: { x: 1 } },
    );
    expect(items).toMatchObject([
      { blocks: [{ type: 'tool_use', id: 'c' }] },
      { blocks: [{ type: 'tool_result', content: [text('{"x":1}')] }] },
    ]);
    expect(notes).toEqual([{ line: 1, text: 'the call of undefined cannot be read: left out' }]);
  });

  test('older recordings: one `function_call`, told by its name; flat calls as well', () => {
    expect(inputs({ function_call: { name: 'f', arguments: '{}' } })).toEqual([['f', 'f', {}]]);
    expect(inputs({ tool_calls: [{ id: 'c', name: 'g', arguments: '{"b":2}' }] })).toEqual([['c', 'g', { b: 2 }]]);
  });
});

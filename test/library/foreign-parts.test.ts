/** Messages that other programs really make: none of them ends a conversation, here or after save and load. */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { aiSdk, chatCompletions, messagesApi, openContext, type Shape } from '../../src/library/context.ts';
import { TESTER, withSimulator } from '../adapters/simulated/wire.ts';
import { imageOf, pngOf } from '../support/images.ts';

const read = { name: 'read', description: 'reads', input_schema: { type: 'object' as const } };
const never = () => Promise.reject(new Error('no summary is due'));
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
const use = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'read', input });
const result = (id: string, content: unknown, more: object = {}) => ({
  ...{ type: 'tool_result', tool_use_id: id, content },
  ...more,
});
const image = imageOf(pngOf(3, 3));
const picture = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
const paper = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello' } };
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const cited = [{ type: 'char_location', cited_text: 'x', document_index: 0 }];

const ROWS: [string, object[], ...string[]][] = [
  [
    'an error with an image',
    [assistant(use('a')), user(result('a', [text('No.'), image], { is_error: true }))],
    'reports an error',
    '"image"',
  ],
  [
    'an error that is a document',
    [assistant(use('a')), user(result('a', [paper], { is_error: true }))],
    'reports an error',
    'hello',
  ],
  ['an image by its address in an answer', [assistant(text('See.'), picture)], 'of type image', 'a.png'],
  ['a document in an answer', [assistant(text('See.'), paper)], 'of type document', 'hello'],
  ['a call of the server in words of a person', [user(search)], 'of type server_tool_use', 'srvtoolu_1'],
  ['a result of the server in words of a person', [user(found)], 'of type web_search_tool_result'],
  ['citations in words of a person', [user(text('As it says.', { citations: cited }))], 'As it says.'],
  ['an answer that the client has parsed', [assistant(text('{"a":1}', { parsed_output: { a: 1 } }))], '{\\"a\\":1}'],
  [
    'a result inside a result',
    [assistant(use('a')), user(result('a', [result('b', 'deep')]))],
    'cannot be sent',
    'deep',
  ],
  [
    'an image and a document of the system',
    [{ role: 'system', content: [image, paper, text('Be kind.')] }],
    '"image"',
    'hello',
    '<system_message>\\nBe kind.',
  ],
  [
    'an input with a date and a large number',
    [assistant(use('a', { at: new Date(0), n: 5n })), user(result('a', 'ok'))],
    '1970-01-01',
    '"n":"5"',
  ],
];

describe('the Messages API', () => {
  test.each(ROWS)('%s', async (_, given, ...says) => {
    await withSimulator({ scripts: [TESTER] }, async ({ url }) => {
      const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
      const open = () =>
        openContext({ model: 'claude-opus-5-5', system: 'You are the tester.', shape: messagesApi([read]) });
      const context = await open();
      for (const one of [user(text('go')), ...given, user(text('go'))]) context.push(one as never);
      const request = await context.request(never);
      for (const words of says) expect(JSON.stringify(request.messages)).toContain(words);
      const loaded = await open();
      loaded.load(context.save());
      expect(await loaded.request(never)).toEqual(request);
      expect((await client.messages.create(request)).stop_reason).toBe('end_turn');
    });
  });

  test('a role that no message of the API has is refused when it is pushed, and nothing is kept of it', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: messagesApi([]) });
    for (const role of ['tool', 'developer', undefined])
      expect(() => context.push({ role, content: 'x' } as never)).toThrow(/role/);
    expect(context.entries).toEqual([]);
  });

  test('marks on tools are taken off, and a tool that is loaded later carries none', async () => {
    await withSimulator({ scripts: [TESTER] }, async ({ url }) => {
      const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
      const cache_control = { type: 'ephemeral' as const };
      const tools = ['a', 'b', 'c', 'd'].map((name) => ({ ...read, name, cache_control }));
      const late = { ...read, name: 'late', defer_loading: true };
      const shape = messagesApi([...tools, late]);
      const context = await openContext({ model: 'claude-opus-5-5', system: 'You are the tester. \ud800', shape });
      context.push({ role: 'user', content: 'go' });
      const request = await context.request(never);
      expect(request.tools?.map((tool) => 'cache_control' in tool)).toEqual([false, false, false, true, false]);
      expect((await client.messages.create(request)).stop_reason).toBe('end_turn');
    });
  });

  test('a blank answer or message does not end the wait for a result', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: messagesApi([read]) });
    const blank = [assistant(), assistant(text(' ')), user(text(''))];
    for (const one of [user(text('go')), assistant(use('a'), use('b')), user(result('b', 'ok')), ...blank])
      context.push(one as never);
    await expect(context.request(never)).rejects.toMatchObject({ code: 'usage', details: { call: 'a' } });
    context.push(user(result('a', 'late')) as never);
    expect(JSON.stringify((await context.request(never)).messages)).toContain('"late"');
  });

  test('a rule that comes while the server has yet to go on adds no words after the results', async () => {
    await withSimulator({ scripts: [TESTER] }, async ({ url }) => {
      const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
      const context = await openContext({
        ...{ model: 'claude-opus-4-8', system: 'You are the tester.', shape: messagesApi([read]) },
      });
      for (const one of [user(text('go')), assistant(text('I look.'), search, use('a')), user(result('a', 'ok'))])
        context.push(one as never);
      context.push('Never lend the last copy.', 'rule');
      const request = await context.request(never);
      expect(request.messages.at(-1)?.content).toMatchObject([{ type: 'tool_result' }]);
      expect((await client.messages.create(request)).stop_reason).toBe('end_turn');
    });
  });

  test('a system prompt of blanks is none', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', system: ' \n', shape: messagesApi([]) });
    context.push({ role: 'user', content: 'go' });
    expect(await context.request(never)).not.toHaveProperty('system');
  });
});

const chatCall = (call: object) => ({ role: 'assistant', content: null, tool_calls: [call] });
const chatResult = (id: unknown, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const outputText = (words: string) => ({ type: 'output_text', text: words, annotations: [] });

const CHAT: [string, object[], ...string[]][] = [
  [
    'no id',
    [chatCall({ type: 'function', function: { name: 'read', arguments: '{}' } }), chatResult(undefined)],
    '"tool_call_id":"call","content":"ok"',
  ],
  [
    'a number for an id',
    [chatCall({ id: 1, type: 'function', function: { name: 'read', arguments: '{}' } }), chatResult(1)],
    '"tool_call_id":"1","content":"ok"',
  ],
  ['no function', [chatCall({ id: 'a', type: 'function' }), chatResult('a')], '"tool_call_id":"a","content":"ok"'],
  ['no call', [chatCall(['read'])], 'cannot be sent as it is: [\\"read\\"]'],
  [
    'calls that are no list',
    [{ role: 'assistant', content: 'x', tool_calls: { 0: 'y' } }],
    'cannot be sent as it is: {',
  ],
  ['content that is an object', [{ role: 'user', content: { type: 'text', text: 'alone' } }], '"content":"alone"'],
  ['content that is a number', [{ role: 'user', content: 5 }], 'cannot be sent as it is: 5'],
  [
    'a result that is an object',
    [chatCall({ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }), chatResult('a', { x: 1 })],
    '{\\"x\\":1}',
  ],
  [
    'an answer in sound',
    [{ role: 'assistant', content: null, audio: { id: 'au', transcript: 'I said it.' } }],
    'I said it.',
  ],
  [
    'messages of the Responses API',
    [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'first' }] },
      { ...{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' }, content: [outputText('then')] },
    ],
    '{"role":"user","content":"first"}',
    '{"role":"assistant","content":"then"}',
  ],
];

const COUNTED = { prompt_tokens: 10, completion_tokens: 5 };

describe('Chat Completions', () => {
  test.each(CHAT)('%s', async (_, given, ...says) => {
    const shape = chatCompletions([{ type: 'function', function: { name: 'read' } }]);
    const context = await openContext({ model: 'claude-opus-5-5', shape });
    for (const one of [{ role: 'user', content: 'go' }, ...given, { role: 'user', content: 'on' }])
      context.push(one as never);
    const { messages } = await context.request(never);
    for (const words of says) expect(JSON.stringify(messages)).toContain(words);
    const loaded = await openContext({ model: 'claude-opus-5-5', shape });
    loaded.load(context.save());
    expect((await loaded.request(never)).messages).toEqual(messages);
  });

  test.each([
    ['no model', { model: undefined }],
    ['no reason', { choices: [{ finish_reason: null, message: { role: 'assistant', content: 'hi' } }] }],
    ['no role', { choices: [{ message: { content: 'hi' } }] }],
    ['counts that are no numbers', { usage: { prompt_tokens: '10', completion_tokens: null } }],
    ['no counts', { usage: {} }],
  ])('an answer with %s can be saved and loaded', async (_, more) => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: chatCompletions([]) });
    context.push({ role: 'user', content: 'go' });
    await context.request(never);
    const message = { role: 'assistant', content: 'hi' };
    context.push({ model: 'm', choices: [{ finish_reason: 'stop', message }], usage: COUNTED, ...more } as never);
    context.push({ role: 'user', content: 'on' });
    const { messages } = await context.request(never);
    expect(messages[1]).toEqual(message);
    const loaded = await openContext({ model: 'claude-opus-5-5', shape: chatCompletions([]) });
    loaded.load(context.save());
    expect((await loaded.request(never)).messages).toEqual(messages);
  });

  test('an item that is no message is refused by its type', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: chatCompletions([]) });
    const item = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' };
    expect(() => context.push(item as never)).toThrow(/"function_call"/);
  });

  test('the body of an error is no answer', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: chatCompletions([]) });
    for (const body of [{ error: {}, choices: null }, { choices: [{}] }, { error: {} }])
      expect(() => context.push(body as never)).toThrow(/no choice|role/);
    expect(context.entries).toEqual([]);
  });
});

describe('the AI SDK', () => {
  test('calls and results of its fourth version keep their arguments and values', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: aiSdk({ read: {} }) });
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read', args: { x: 1 } };
    const answer = { type: 'tool-result', toolCallId: 'a', toolName: 'read', result: { y: 2 } };
    const given = [user(text('go')), assistant(call), { role: 'tool', content: [answer] }, user(text('on'))];
    for (const one of given) context.push(one as never);
    const { messages } = await context.request(never);
    expect(messages[1]).toMatchObject({ content: [{ input: { x: 1 } }] });
    expect(messages[2]).toMatchObject({ content: [{ output: { value: '{"y":2}' } }] });
  });

  test('the answer of an earlier version is read, and a sound alone is an answer', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: aiSdk({}) });
    context.push(user(text('sing')) as never);
    const file = { type: 'file', mediaType: 'audio/wav', data: 'UklGRg==' };
    const usage = { inputTokens: 1, outputTokens: 1 };
    context.push({ text: '', finishReason: 'stop', usage, response: { messages: [assistant(file)] } } as never);
    context.push(user(text('on')) as never);
    expect((await context.request(never)).messages[1]).toMatchObject({ role: 'assistant', content: [file] });
  });

  test('a message of the interface is refused by its missing content', async () => {
    const context = await openContext({ model: 'claude-opus-5-5', shape: aiSdk({}) });
    expect(() => context.push({ role: 'user', parts: [text('x')] } as never)).toThrow(/content/);
  });
});

test.each([messagesApi([]), chatCompletions([]), aiSdk({})])(
  'a conversation that the assistant opens goes on, in every shape',
  async (shape: Shape<never, never, object>) => {
    const context = await openContext({ model: 'claude-opus-5-5', shape });
    context.push({ role: 'assistant', content: 'How can I help?' } as never);
    context.push({ role: 'user', content: 'go' } as never);
    const { messages } = (await context.request(never)) as { messages: { role: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  },
);

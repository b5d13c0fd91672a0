/** What is pushed comes back in the request as it was: messages of every shape, with the parts that the core does not know. */
import { describe, expect, test } from 'vitest';
import { facts } from '../../support/responses.ts';
import { buildRequest } from '../../../src/agent/build-request.ts';
import { view } from '../../../src/context/index.ts';
import { aiSdk } from '../../../src/library/shapes/ai-sdk.ts';
import { chatCompletions } from '../../../src/library/shapes/chat-completions.ts';
import { messagesApi } from '../../../src/library/shapes/anthropic-messages.ts';
import type { Shape } from '../../../src/library/shapes/shape.ts';
import { placeEntry, Entry } from '../../../src/transcript/entry.ts';

const read = { name: 'read', description: 'reads', input_schema: { type: 'object' as const } };
const chatRead = { type: 'function' as const, function: { name: 'read', parameters: { type: 'object' } } };

/** Through the transcript, saved and loaded, into the next request. */
function sent<Given, Answer, Request>(shape: Shape<Given, Answer, Request>, given: readonly Given[]): Request {
  const entries: Entry[] = [];
  for (const one of given)
    for (const message of shape.read(one).messages)
      entries.push(
        placeEntry(entries, { type: 'message', origin: message.role === 'assistant' ? 'model' : 'human', message }),
      );
  const loaded = entries.map((entry) => Entry.parse(JSON.parse(JSON.stringify(entry))));
  const fixed = { agent: 'own', system: 'Be brief.', tools: shape.tools, maxTokens: 1000, facts: facts() };
  return shape.write(buildRequest(view(loaded), fixed), false);
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the Messages API', () => {
  test('documents, images, server tools and thinking go back as they came; marks of others do not', () => {
    const document = {
      type: 'document' as const,
      source: { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'JVBERi0=' },
    };
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data: PNG },
    };
    const request = sent(messagesApi([read]), [
      {
        role: 'user',
        content: [{ type: 'text', text: 'Look.', cache_control: { type: 'ephemeral' } }, document, image],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } },
          { type: 'tool_use', id: 't1', name: 'read', input: { b: 1, a: [2] } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'ok' }, document] }],
      },
    ]);
    const mark = { cache_control: { type: 'ephemeral' } };
    expect(request.messages).toMatchObject([
      { content: [{ type: 'text', text: 'Look.' }, document, image] },
      {
        content: [
          { type: 'thinking' },
          { type: 'server_tool_use', name: 'web_search' },
          { type: 'tool_use', input: { b: 1, a: [2] } },
        ],
      },
      { content: [{ type: 'tool_result', content: [{ text: 'ok' }, document], ...mark }] },
    ]);
    expect(JSON.stringify(request).match(/cache_control/g)).toHaveLength(4);
    expect(request.tools).toEqual([{ ...read, ...mark }]);
  });
});

describe('Chat Completions', () => {
  test('arguments to the letter, names, images and files go back as they came', () => {
    const given = [
      { role: 'user' as const, name: 'ada', content: 'Go.' },
      {
        role: 'assistant' as const,
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function' as const, function: { name: 'read', arguments: '{ "b": 1.0,  "a": 2 }' } },
          { id: 'call_2', type: 'function' as const, function: { name: 'read', arguments: '{"broken' } },
          { id: 'call_3', type: 'custom' as const, custom: { name: 'shell', input: 'ls -l' } },
        ],
      },
      { role: 'tool' as const, tool_call_id: 'call_1', content: 'one' },
      { role: 'tool' as const, tool_call_id: 'call_2', content: 'two' },
      { role: 'tool' as const, tool_call_id: 'call_3', content: 'three' },
      {
        role: 'user' as const,
        content: [
          { type: 'text' as const, text: 'And these?' },
          { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png', detail: 'low' as const } },
          { type: 'file' as const, file: { file_id: 'file_1' } },
        ],
      },
    ];
    const parameters = { type: 'object', properties: { a: { type: 'number' } } };
    const tool = { type: 'function' as const, function: { name: 'read', parameters } };
    const request = sent(chatCompletions([tool]), given);
    const [asks, called, one, , ...rest] = given;
    const [first, , third] = called?.tool_calls ?? [];
    const mended = { id: 'call_2', type: 'function', function: { name: 'read', arguments: '{}' } };
    const line = '[The input of this call was no JSON object, and stands as {}. The model wrote: {"broken]';
    expect(request).toEqual({
      model: 'test-model',
      messages: [
        ...[{ role: 'system', content: 'Be brief.' }, asks, { ...called, tool_calls: [first, mended, third] }, one],
        ...[{ role: 'tool', tool_call_id: 'call_2', content: `${line}\ntwo` }, ...rest],
      ],
      max_completion_tokens: 1000,
      tools: [tool],
    });
  });
});

describe('fields of vendors go back as they came', () => {
  test('in the Messages API: in blocks of every kind, and thinking that is signed in a field of its own', () => {
    const own = { vendor_field: { a: [1, null] } };
    const given = [
      { role: 'user', content: [{ type: 'text', text: 'Go.', ...own }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', thinking_signature: 'sig' },
          { type: 'thinking', thinking: 'hm', signature: 'sig', ...own },
          { type: 'tool_use', id: 't1', name: 'read', input: { a: 1 }, extra_content: { google: { s: 'x' } } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok', ...own }] },
    ];
    expect(sent(messagesApi([read]), given as never).messages).toMatchObject(given);
  });

  test('in Chat Completions: in messages, calls, functions, texts and results', () => {
    const given = [
      { role: 'user', content: [{ type: 'text', text: 'Go.', cache_control: { type: 'ephemeral' } }], name: 'ada' },
      {
        ...{ role: 'assistant', content: 'I read.', reasoning_content: 'hm', thinking_signature: 'sig' },
        reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig', index: 0 }],
        tool_calls: [
          {
            ...{ id: 'c1', type: 'function', extra_content: { google: { thought_signature: 'x' } } },
            function: { name: 'read', arguments: '{"a":1}', vendor: 1 },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'ok', name: 'read' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'so' },
          { type: 'text', text: 'Done.' },
        ],
      },
      { role: 'user', content: 'Thanks.' },
    ];
    const { messages } = sent(chatCompletions([chatRead]), given as never);
    expect(messages.slice(1)).toEqual(given);
  });

  test('in the AI SDK: in messages and in parts of every kind; marks of others on messages do not', () => {
    const options = { providerOptions: { openai: { itemId: 'i' } } };
    const given = [
      {
        role: 'user',
        content: [{ type: 'image', image: PNG, mediaType: 'image/png', ...options }],
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' }, x: 1 } },
      },
      {
        ...{ role: 'assistant', vendor: 1 },
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { a: 1 }, ...options, title: 't' }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'read',
            output: { type: 'text', value: 'ok' },
            ...options,
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user', content: 'Thanks.' },
    ];
    const { messages } = sent(aiSdk({ read: {} }), given as never);
    expect(messages).toMatchObject([{ ...given[0], providerOptions: { anthropic: { x: 1 } } }, ...given.slice(1)]);
    expect(JSON.stringify(messages[0])).not.toContain('cacheControl');
  });
});

describe('malformed parts are mended, and nothing vanishes', () => {
  const INPUTS = [
    ['', '{}'],
    [null, '{}'],
    [[], '{}'],
    ['{"a":1}', '{"a":1}'],
    ['{"a":1', 'The model wrote: {"a":1]'],
    [[1], 'The model wrote: [1]]'],
    ['words', 'The model wrote: words]'],
  ] as const;

  test.each(INPUTS)('an input %j, in all three shapes', (input, shown) => {
    const seen = [
      sent(messagesApi([read]), [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
      ] as never),
      sent(chatCompletions([chatRead]), [
        { role: 'user', content: 'Go.' },
        {
          ...{ role: 'assistant', content: null },
          tool_calls: [
            {
              ...{ id: 't1', type: 'function' },
              function: { name: 'read', arguments: typeof input === 'string' ? input : JSON.stringify(input) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 't1', content: 'ok' },
      ] as never),
      sent(aiSdk({ read: {} }), [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'read', input }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 't1', toolName: 'read', output: { type: 'text', value: 'ok' } }],
        },
      ] as never),
    ];
    for (const { messages } of seen) {
      expect(messages.at(-2)).toMatchObject({ role: 'assistant' });
      const said = JSON.stringify(messages.slice(-2)).replaceAll('\\', '');
      expect(said).toContain(shown);
      expect(said).toMatch(/ok/);
    }
  });

  test('parts that are no part of the Messages API are text; thinking that nobody signed is left out', () => {
    const { messages } = sent(messagesApi([read]), [
      { role: 'user', content: ['Go.', 7, { text: 'no type' }, { type: 'text', text: 8 }, { type: 'text' }, null] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'unsigned' },
          { type: 'redacted_thinking' },
          { type: 'text', text: 'I read.' },
          { type: 'tool_use', id: 't1', name: 'read' },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: ['a', { type: 'text' }, { b: 1 }] }],
      },
    ] as never);
    const line = (part: string) => ({ text: `[A part of the message that cannot be sent as it is: ${part}]` });
    expect(messages).toMatchObject([
      { content: [{ text: 'Go.' }, line('7'), line('{"text":"no type"}'), line('{"type":"text","text":8}')] },
      { content: [{ text: 'I read.' }, { type: 'tool_use', input: {} }] },
      { content: [{ content: [{ text: 'a' }, line('{"type":"text"}'), line('{"b":1}')] }] },
    ]);
  });
});

describe('the AI SDK', () => {
  const options = { openai: { itemId: 'rs_1' } };
  test('reasoning of any provider, outputs, bytes and options go back as they came', () => {
    const request = sent(aiSdk({ read: { description: 'reads', execute: () => 'x' } }), [
      { role: 'user', content: [{ type: 'file', data: new Uint8Array([1, 2, 3]), mediaType: 'audio/wav' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: options },
          { type: 'reasoning', text: 'signed', providerOptions: { anthropic: { signature: 'sig' } } },
          { type: 'text', text: 'I read.', providerOptions: options },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: 'bare' },
        ],
      } as never,
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'json', value: { rows: [1] } } },
          { type: 'tool-result', toolCallId: 'c2', toolName: 'read', output: { type: 'error-text', value: 'no' } },
        ],
      } as never,
    ]);
    expect(request.messages).toEqual([
      {
        role: 'user',
        content: [{ type: 'file', data: 'AQID', mediaType: 'audio/wav' }],
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: options },
          { type: 'reasoning', text: 'signed', providerOptions: { anthropic: { signature: 'sig' } } },
          { type: 'text', text: 'I read.', providerOptions: options },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'json', value: { rows: [1] } } },
          {
            ...{ type: 'tool-result', toolCallId: 'c2', toolName: 'read' },
            output: { type: 'error-text', value: expect.stringMatching(/The model wrote: bare\]\nno$/) },
          },
        ],
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
    ]);
    expect(request.instructions).toMatchObject({ content: 'Be brief.' });
  });

  test('no tool can run while a summary is written', () => {
    const shape = aiSdk({ read: { description: 'reads', execute: () => 'x' } });
    const request = { model: 'm', system: [], tools: [...shape.tools], messages: [], max_tokens: 1 };
    expect(shape.write(request, true).tools?.read.execute).toBeUndefined();
    expect(shape.write(request, false).tools?.read.execute).toBeDefined();
  });

  test('of several steps the first is what the request was billed; an approval must be decided before', () => {
    const usage = (inputTokens: number) => ({
      inputTokens,
      outputTokens: 5,
      inputTokenDetails: { cacheReadTokens: 40, cacheWriteTokens: 10 },
    });
    const assistant = { role: 'assistant' as const, content: 'x' };
    const answer = {
      responseMessages: [assistant, { role: 'tool' as const, content: [] }, assistant],
      ...{ finishReason: 'stop', usage: usage(900), steps: [{ usage: usage(100) }, { usage: usage(900) }] },
    };
    expect(aiSdk().read(answer).response).toMatchObject({
      stopReason: 'tool_use',
      usage: { input_tokens: 50, cache_read_input_tokens: 40, cache_creation_input_tokens: 10, output_tokens: 5 },
    });
    const approval = { role: 'tool' as const, content: [{ type: 'tool-approval-response' }] };
    expect(() => aiSdk().read(approval)).toThrow(/decide on the call/);
  });
});

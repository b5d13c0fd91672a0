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
    expect(request).toEqual({
      model: 'test-model',
      messages: [{ role: 'system', content: 'Be brief.' }, ...given],
      max_completion_tokens: 1000,
      tools: [tool],
    });
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
          { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: 'bare' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'read', output: { type: 'json', value: { rows: [1] } } },
          { type: 'tool-result', toolCallId: 'c2', toolName: 'read', output: { type: 'error-text', value: 'no' } },
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

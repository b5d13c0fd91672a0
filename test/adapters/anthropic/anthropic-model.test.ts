import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createAnthropicModel } from '../../../src/adapters/anthropic/anthropic-model.ts';
import type { WireExchange } from '../../../src/ports/model.ts';
import {
  contractRequest,
  contractResponse,
  modelContract,
  type ContractAnswer,
} from '../../contracts/model.contract.ts';
import { failureOf, KEY, modelOn } from '../../support/model-on-server.ts';
import { answers, cutsAfter, eventsOf, refuses, says, streams, type Reply } from '../../support/scripted-server.ts';

const signal = new AbortController().signal;
const good = answers(contractResponse);

const CONTRACT_REPLY: Record<'refused' | 'unavailable', Reply> = {
  refused: refuses(400, 'invalid_request_error'),
  unavailable: refuses(529, 'overloaded_error'),
};

modelContract('the Anthropic model', async (answer: ContractAnswer) => {
  const reply =
    'respond' in answer ? answers(answer.respond) : 'hang' in answer ? () => undefined : CONTRACT_REPLY[answer.fail];
  const subject = await modelOn([reply]);
  return {
    model: subject.model,
    calls: () => subject.received.length,
    called: () => subject.server.arrived(1),
    close: async () => undefined,
  };
});

describe('what passed, for who wants to hear', () => {
  const heard = async (replies: readonly Reply[]) => {
    const exchanges: WireExchange[] = [];
    const { model, received } = await modelOn(replies);
    const onExchange = (exchange: WireExchange): void => void exchanges.push(exchange);
    const ended = await model.call(contractRequest, signal, { onExchange }).catch(() => 'failed');
    return { exchanges, received, ended };
  };

  test('each try byte for byte, the failed one too, before the call settles', async () => {
    const { exchanges, received } = await heard([refuses(529, 'overloaded_error'), good]);
    expect(exchanges.map(({ status }) => status)).toEqual([529, 200]);
    expect(exchanges.map(({ request }) => request)).toEqual(received.map(({ text }) => text));
    const sent = [': open', ...eventsOf(contractResponse).map((event) => JSON.stringify(event))];
    const answer = Buffer.from(exchanges[1]?.answer ?? []).toString();
    for (const piece of sent) expect(answer).toContain(piece);
    expect(JSON.parse(Buffer.from(exchanges[0]?.answer ?? []).toString())).toMatchObject({ type: 'error' });
  });

  test('as much as came of an answer that broke off, and no status where none came', async () => {
    const [first = {}] = eventsOf(contractResponse);
    const cut = await heard([cutsAfter([first])]);
    expect(cut.ended).toBe('failed');
    expect(Buffer.from(cut.exchanges[0]?.answer ?? []).toString()).toContain('message_start');
    const closed = await heard([(response) => void response.destroy()]);
    expect(closed.exchanges[0]).toMatchObject({ answer: Buffer.alloc(0) });
    expect(closed.exchanges[0]?.status).toBeUndefined();
  });

  test('never a key, also where the endpoint repeats it', async () => {
    const { exchanges } = await heard([refuses(401, 'authentication_error', `the key ${KEY} is not known`)]);
    expect(
      JSON.stringify(exchanges.map(({ answer, ...rest }) => [rest, Buffer.from(answer).toString()])),
    ).not.toContain(KEY);
    expect(Buffer.from(exchanges[0]?.answer ?? []).toString()).toContain('the key [key] is not known');
  });
});

describe('what is sent', () => {
  test('one streaming request with the key as Bearer, the version header, and no retry of the vendor', async () => {
    const { model, received } = await modelOn([good]);
    await model.call(contractRequest, signal);
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ method: 'POST', path: '/v1/messages' });
    const headers = received[0]?.headers ?? {};
    expect(headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(headers['x-api-key']).toBeUndefined();
    expect(headers['anthropic-version']).toBe('2026-10-21');
    expect(headers['anthropic-beta']).toBeUndefined();
    expect(headers['traceparent']).toBeUndefined();
  });

  test('only what the port names: no sampling parameters, no thinking unless asked for (S0.8)', async () => {
    const { model, received } = await modelOn([good]);
    const smuggled = { ...contractRequest, temperature: 0, top_p: 1, top_k: 1 };
    await model.call(smuggled, signal);
    expect(received[0]?.body).toEqual({ ...contractRequest, stream: true });
  });

  test('thinking when it is asked for; no empty system and no empty tools', async () => {
    const { model, received } = await modelOn([good]);
    await model.call({ ...contractRequest, system: [], tools: [], thinking: { type: 'adaptive' } }, signal);
    expect(received[0]?.body['thinking']).toEqual({ type: 'adaptive' });
    expect(Object.keys(received[0]?.body ?? {})).not.toEqual(expect.arrayContaining(['system']));
    expect(Object.keys(received[0]?.body ?? {})).not.toEqual(expect.arrayContaining(['tools']));
  });
});

describe('what comes back', () => {
  test('every field of every block, those that are new to this version too', async () => {
    const block = { type: 'text', text: 'Hello', citations: null, parsed_output: { a: 1 } };
    const call = {
      type: 'tool_use',
      id: 'toolu_1',
      name: 'read',
      input: {},
      caller: { type: 'direct' },
      toolset_name: 'x',
    };
    const events = eventsOf({ ...contractResponse, content: [] });
    events.splice(
      1,
      0,
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: call },
      { type: 'content_block_stop', index: 1 },
    );
    const { model } = await modelOn([streams(events)]);
    expect((await model.call(contractRequest, signal)).content).toEqual([block, call]);
  });

  test('ids of calls that no request may hold come as ids that it may, each its own; one without is damaged', async () => {
    const calls = ['functions.read:0', 'functions.read:1', 'toolu_1'].map((id) => ({
      ...{ type: 'tool_use' as const, id, name: 'read', input: {} },
    }));
    const { model } = await modelOn([answers({ ...contractResponse, content: calls })]);
    const ids = (await model.call(contractRequest, signal)).content.map((block) => 'id' in block && block.id);
    expect(ids).toEqual(['functions_2e_read_3a_0', 'functions_2e_read_3a_1', 'toolu_1']);
    const nameless = { ...contractResponse, content: calls.map((one) => ({ ...one, id: '' })) };
    const { model: other } = await modelOn([answers(nameless)], { retry: { tries: 1, minDelayMs: 1, maxDelayMs: 1 } });
    await expect(other.call(contractRequest, signal)).rejects.toMatchObject({ code: 'model_unavailable' });
  });

  test.each([
    { type: 'thinking' as const, thinking: 'Half \ud83d', signature: 'sig' },
    { type: 'compaction' as const, content: 'Half \ud83d', signature: 'sig' },
  ])('a signed block with half a character could never go back, so it is damaged: $type', async (block) => {
    const answered = answers({ ...contractResponse, content: [block] });
    const { model } = await modelOn([answered], { retry: { tries: 1, minDelayMs: 1, maxDelayMs: 1 } });
    const calling = model.call(contractRequest, signal);
    await expect(calling).rejects.toMatchObject({ details: { type: 'damaged_answer' } });
  });

  test('blocks go back as they came: unknown fields, unknown kinds, pieces of an unknown type', async () => {
    const thinking = { type: 'thinking', thinking: '', signature: 'sig', seal: { v: 2 } };
    const novel = { type: 'server_note', id: 'n1', nested: [{ a: 1 }] };
    const start = [
      { type: 'content_block_start', index: 0, content_block: { ...thinking, signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: novel },
      { type: 'content_block_delta', index: 1, delta: { type: 'grade_delta', grade: 'b' } },
      { type: 'content_block_stop', index: 1 },
    ];
    const events = eventsOf({ ...contractResponse, content: [] });
    events.splice(1, 0, ...start);
    const news: string[] = [];
    const { model, received } = await modelOn([streams(events)], { onNews: (what) => news.push(what) });
    const { content } = await model.call(contractRequest, signal);
    expect(content[1]).toEqual({ type: 'unknown', wire: { ...novel, grade: 'b' } });
    const user = contractRequest.messages[0] ?? { role: 'user', content: [] };
    await model.call({ ...contractRequest, messages: [user, { role: 'assistant', content }, user] }, signal);
    expect(received[1]?.body['messages']).toMatchObject({ 1: { content: [thinking, { ...novel, grade: 'b' }] } });
    expect(news.slice(0, 2)).toEqual(['a piece of type grade_delta', 'a block of type server_note']);
  });

  test('U+0000 and half characters never go out, wherever they stand', async () => {
    const { model, received } = await modelOn([good]);
    const text = 'a\0b\ud83dc';
    const content = [{ type: 'tool_use' as const, id: 't1', name: 'read', input: { [text]: [text] } }];
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text }] },
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 't1', content: text }] },
    ];
    await model.call({ ...contractRequest, system: [{ type: 'text', text }], messages }, signal);
    const sent = JSON.stringify(received[0]?.body);
    expect(sent.match(/a\ufffdb\ufffdc/g)).toHaveLength(5);
    expect(sent).not.toMatch(/\\u0000|\\ud83d/);
  });

  test('blank text blocks are left out: sent back, the API refuses them', async () => {
    const content = [
      { type: 'text' as const, text: '' },
      { type: 'text' as const, text: ' \n' },
      { type: 'text' as const, text: 'x' },
    ];
    const { model } = await modelOn([answers({ ...contractResponse, content })]);
    expect((await model.call(contractRequest, signal)).content).toEqual([{ type: 'text', text: 'x' }]);
  });

  test('missing and null usage fields count as 0; the last usage is the whole one', async () => {
    const usage = { input_tokens: 9, cache_creation_input_tokens: null, output_tokens: 1 };
    const start = { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], stop_reason: null, usage };
    const { model } = await modelOn([
      streams([
        { type: 'message_start', message: start },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 42 } },
        { type: 'message_stop' },
      ]),
    ]);
    expect(await model.call(contractRequest, signal)).toEqual({
      id: 'm',
      model: 'x',
      requestId: 'req_test',
      content: [],
      stopReason: 'end_turn',
      usage: { input_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 42 },
    });
  });

  test('a stop reason that is new to this version comes through by name', async () => {
    const events = eventsOf({ ...contractResponse, content: [] });
    events.splice(-1, 0, { type: 'message_delta', delta: { stop_reason: 'moon_phase' }, usage: { output_tokens: 1 } });
    const news: string[] = [];
    const { model } = await modelOn([streams(events)], { onNews: (what) => news.push(what) });
    expect(await model.call(contractRequest, signal)).toMatchObject({ stopReason: 'moon_phase' });
    expect(news).toEqual(['the stop reason moon_phase']);
  });
});

describe('keys', () => {
  const shown = (error: unknown) => `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)}`;

  test('stand in no message, detail, cause or notice, whatever the endpoint echoes', async () => {
    const echo = `bad key ${KEY} and sk-ant-other_key-99 in Authorization: Bearer abc.def`;
    for (const reply of [
      refuses(401, 'authentication_error', echo),
      refuses(529, 'overloaded_error', echo),
      // Where a long message is cut.
      ...[590, 595].map((before) => refuses(400, 'invalid_request_error', `${'x'.repeat(before)}${KEY}`)),
      says(`<html>${echo}</html>`, 403),
      streams([{ type: 'error', error: { type: 'api_error', message: echo } }]),
    ]) {
      const { error, notices } = await failureOf([reply]);
      expect(`${shown(error)} ${JSON.stringify(notices)}`).not.toMatch(/THE_SECRET|x[Ss][Kk]-|other_key|abc\.def/);
    }
  });

  test.each(['', 'two words', 'line\nbreak', 'schlüssel'])(
    'an unusable key is refused without showing it: %j',
    (apiKey) => {
      const make = () =>
        createAnthropicModel({
          baseUrl: 'http://127.0.0.1:9',
          apiKey,
          timeoutMs: 1,
          retry: { tries: 1, minDelayMs: 0, maxDelayMs: 0 },
        });
      expect(make).toThrow(
        expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining('ANTHROPIC_API_KEY') }),
      );
      if (apiKey !== '') expect(make).not.toThrow(apiKey);
    },
  );

  test.each(['', 'localhost:99', 'ftp://x', 'https://user@host/', 'https://user:pass@host/'])(
    'an unusable address is refused: %j',
    (baseUrl) => {
      const make = () =>
        createAnthropicModel({ baseUrl, apiKey: KEY, timeoutMs: 1, retry: { tries: 1, minDelayMs: 0, maxDelayMs: 0 } });
      expect(make).toThrow(expect.objectContaining({ code: 'config_invalid' }));
      expect(make).not.toThrow('pass@');
    },
  );
});

/** Images of any kind in a conversation of another program: none ends it, also after save and load. */
import * as fc from 'fast-check';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { aiSdk, chatCompletions, messagesApi, openContext } from '../../src/library/context.ts';
import { post, TESTER, withSimulator } from '../adapters/simulated/wire.ts';
import { BMP, gifOf, imageOf, jpegOf, pngOf, REFUSED_IMAGES, webpOf } from '../support/images.ts';
import { propertyRuns } from '../support/property-runs.ts';

const THINKER = {
  ...TESTER,
  turns: [{ name: 'only', marker: 'go', steps: [{ think: 'seen', say: 'Done.' }] }],
};
const read = { name: 'read', description: 'reads', input_schema: { type: 'object' as const } };
const system = 'You are the tester.';
const never = () => Promise.reject(new Error('no summary is due'));
const pdf = (data: string) => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data },
});

describe('the Messages API', () => {
  const open = (model = 'claude-opus-4-8') => openContext({ model, system, shape: messagesApi([read]) });

  test.each(REFUSED_IMAGES)('%s: the conversation goes on, and a text says so', async (_, image, says) => {
    await withSimulator({ scripts: [TESTER] }, async ({ url }) => {
      const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
      const call = (request: Anthropic.MessageCreateParamsNonStreaming) => client.messages.create(request);
      const first = await open();
      first.push({ role: 'user', content: [{ type: 'text', text: 'go' }, image] } as never);
      first.push({ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] });
      first.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [image] }] } as never);
      const before = await first.request(call);
      const again = await open();
      again.load(first.save());
      const request = await again.request(call);
      expect(request).toEqual(before);
      expect(JSON.stringify(request).split(`An image is left out: it`)).toHaveLength(3);
      expect(JSON.stringify(request)).toContain(says);
      again.push(await call(request));
      again.push({ role: 'user', content: 'go on' });
      expect((await call(await again.request(call))).stop_reason).toBe('end_turn');
    });
  });

  test('what can be mended is sent: a wrong type, line breaks, the head of a data URL, no type at all', async () => {
    const context = await open();
    const data = gifOf(3, 3).toString('base64');
    const plain = imageOf(gifOf(3, 3), 'image/gif');
    const given = [
      imageOf(gifOf(3, 3), 'image/png'),
      imageOf(data.replaceAll(/.{20}/g, '$&\r\n'), 'image/gif'),
      imageOf(`data:image/gif;base64,${data}`, 'image/gif'),
      { type: 'image', source: { type: 'base64', data } },
    ];
    context.push({ role: 'user', content: given } as never);
    const [message] = (await context.request(never)).messages;
    expect(message?.content).toMatchObject([plain, plain, plain, plain]);
  });

  test('a document that is no PDF becomes text; one that is, and one by its address, go as they came', async () => {
    const context = await open();
    const good = pdf(Buffer.from('%PDF-1.7 x').toString('base64'));
    const link = { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } };
    context.push({ role: 'user', content: [pdf('PGh0bWw+'), pdf(''), pdf('no base64!'), good, link] } as never);
    const [message] = (await context.request(never)).messages;
    expect(message?.content).toMatchObject([
      { text: '[A document is left out: it is no PDF.]' },
      { text: '[A document is left out: it is empty.]' },
      { text: '[A document is left out: it is not in base64.]' },
      good,
      link,
    ]);
  });

  test('images over 2,000 pixels leave when there are more than 20, with the thinking that saw them', async () => {
    await withSimulator({ scripts: [THINKER] }, async ({ url }) => {
      const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
      const call = (request: Anthropic.MessageCreateParamsNonStreaming) => client.messages.create(request);
      const context = await open('claude-opus-5-5');
      const large = imageOf(pngOf(2001, 5));
      context.push({ role: 'user', content: [{ type: 'text', text: 'go' }, large] } as never);
      const request = await context.request(call);
      expect(JSON.stringify(request)).toContain('"image"');
      context.push(await call(request));
      for (let turn = 0; turn < 3; turn += 1) {
        const seven = Array.from({ length: 7 }, () => imageOf(pngOf(20 + turn, 5)));
        context.push({ role: 'user', content: [{ type: 'text', text: 'go' }, ...seven] } as never);
        const next = await context.request(call);
        expect(JSON.stringify(next).includes('over 2000 pixels')).toBe(turn === 2);
        context.push(await call(next));
      }
      const loaded = await open('claude-opus-5-5');
      loaded.load(context.save());
      for (const one of [context, loaded]) one.push({ role: 'user', content: 'go on' });
      expect((await loaded.request(call)).messages).toEqual((await context.request(call)).messages);
      expect((await call(await loaded.request(call))).stop_reason).toBe('end_turn');
    });
  });
});

describe('other shapes', () => {
  test.each(REFUSED_IMAGES)('%s: a text in Chat Completions and in the AI SDK', async (_, { source }, says) => {
    if (source.type !== 'base64') return;
    const chat = await openContext({ model: 'claude-opus-4-8', shape: chatCompletions([]) });
    const url = `data:${source.media_type};base64,${source.data}`;
    const parts = [
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url, detail: 'low' } },
    ];
    chat.push({ role: 'user', content: [{ type: 'text', text: 'Look.' }, ...parts] } as never);
    const ai = await openContext({ model: 'claude-opus-4-8', shape: aiSdk({}) });
    const { data, media_type: mediaType } = source;
    const aiParts = [
      { type: 'image', image: data },
      { type: 'file', data, mediaType },
    ];
    ai.push({ role: 'user', content: [{ type: 'text', text: 'Look.' }, ...aiParts] } as never);
    for (const request of [await chat.request(never), await ai.request(never)]) {
      expect(JSON.stringify(request).split('An image is left out: it')).toHaveLength(3);
      expect(JSON.stringify(request)).toContain(says);
    }
  });

  test('an image in a tool message of Chat Completions goes back in it', async () => {
    const look = { type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } };
    const chat = await openContext({ model: 'claude-opus-4-8', shape: chatCompletions([look]) });
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${pngOf(3, 3).toString('base64')}` } };
    const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'look', arguments: '{}' } });
    chat.push({ role: 'user', content: 'Look.' });
    chat.push({ role: 'assistant', content: null, tool_calls: [call('a'), call('b')] });
    chat.push({ role: 'tool', tool_call_id: 'a', content: [image, sound] } as never);
    chat.push({ role: 'tool', tool_call_id: 'b', content: 'plain' });
    const { messages } = await chat.request(never);
    expect(messages[2]).toMatchObject({ role: 'tool', content: [image, sound] });
    expect(messages[3]).toMatchObject({ tool_call_id: 'b', content: 'plain' });
  });
});

test('whatever images stand anywhere, a strict server takes the request, and loading changes nothing', async () => {
  const bytes = fc.oneof(
    fc.constantFrom(
      pngOf(3, 3),
      pngOf(8001, 1),
      jpegOf(9, 9),
      jpegOf(9, 9000),
      gifOf(0, 4),
      BMP,
      webpOf(40, 3, 'VP8L'),
    ),
    fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some)),
    fc.nat(60).map((length) => pngOf(30, 30).subarray(0, length)),
  );
  const data = fc.oneof(
    bytes.map((some) => some.toString('base64')),
    fc.string(),
  );
  const type = fc.constantFrom('image/png', 'image/jpeg', 'image/bmp', '');
  const image = fc.tuple(data, type).map(([content, media]) => imageOf(content, media));
  const foreign = fc.record({ type: fc.constant('image'), source: fc.record({ type: fc.constant('base64'), data }) });
  const content = fc.array(fc.oneof(image, foreign), { minLength: 1, maxLength: 23 });
  await withSimulator({ scripts: [TESTER] }, async (simulator) => {
    await fc.assert(
      fc.asyncProperty(content, content, async (said, shown) => {
        const shape = messagesApi([read]);
        const [context, again] = [
          await openContext({ model: 'claude-opus-4-8', system, shape }),
          await openContext({ model: 'claude-opus-4-8', system, shape }),
        ];
        context.push({ role: 'user', content: [{ type: 'text', text: 'go' }, ...said] } as never);
        context.push({ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] });
        context.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: shown }] } as never);
        again.load(context.save());
        const request = await context.request(never);
        expect(await again.request(never)).toEqual(request);
        const got = await post(simulator, request);
        expect([got.record?.rule, got.record?.refusal].join()).toMatch(/^,?$|script/);
      }),
      propertyRuns(60),
    );
  });
});

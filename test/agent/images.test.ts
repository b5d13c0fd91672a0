/** Images stand outside of the transcript, and the model is sent them all the same (S3.10, T24). */
import { expect, test } from 'vitest';
import { openFileImages } from '../../src/adapters/files/file-transcripts.ts';
import { storeImages, withImages } from '../../src/agent/images.ts';
import { createAgentConversation } from '../../src/agent/agent-conversation.ts';
import { view } from '../../src/context/index.ts';
import type { Model, ModelRequest } from '../../src/ports/model.ts';
import { Entry } from '../../src/transcript/entry.ts';
import { estimateBytes, countImages } from '../../src/transcript/bytes.ts';
import type { Message } from '../../src/transcript/message.ts';
import { estimateMessages } from '../../src/transcript/tokens.ts';
import { scratch } from '../support/scratch.ts';
import { imageOf, paddedPng, REFUSED_IMAGES } from '../support/images.ts';

const live = new AbortController().signal;
const bytes = paddedPng(30_001);
const data = bytes.toString('base64');
const image = imageOf(bytes);
const seen: Message = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'the screen' }, image] }, image],
};
const requestOf = (messages: Message[]): ModelRequest => ({
  ...{ model: 'm', system: [], tools: [], max_tokens: 1 },
  messages,
});

/** A model that keeps what it was sent. */
function listening() {
  const sent: ModelRequest[] = [];
  const model: Model = {
    call: async (request) => {
      sent.push(request);
      return Promise.reject(new Error('no answer'));
    },
    countTokens: async (request) => sent.push(request),
  };
  return { sent, model };
}

test('an entry holds a pointer of some bytes, the request the image itself', async () => {
  const images = openFileImages(await scratch());
  const lines: string[] = [];
  const onAppend = async (entry: Entry) => void lines.push(JSON.stringify(entry));
  const session = createAgentConversation({ entries: [], step: 's', onAppend, images });
  await session.append({ type: 'message', origin: 'human', message: { role: 'user', content: [image] } });
  expect(lines.join('').length).toBeLessThan(600);
  const parsed = Entry.parse(JSON.parse(lines[0] ?? ''));
  expect(parsed).toEqual(session.entries[0]);

  const { sent, model } = listening();
  const request = requestOf(view(session.entries).messages);
  await expect(withImages(model, images).call(request, live)).rejects.toThrow('no answer');
  await withImages(model, images).countTokens?.(request, live);
  expect(sent.map(({ messages }) => messages)).toEqual([
    [{ role: 'user', content: [image] }],
    [{ role: 'user', content: [image] }],
  ]);
  expect(JSON.stringify(request)).not.toContain(data);
});

test('inside results too; bytes and counts stay those of the real image', async () => {
  const images = openFileImages(await scratch());
  const kept = await storeImages(seen, images);
  expect(JSON.stringify(kept).length).toBeLessThan(700);
  expect([estimateBytes(kept), countImages(kept)]).toEqual([estimateBytes(seen), countImages(seen)]);
  const { sent, model } = listening();
  await withImages(model, images).countTokens?.(requestOf([kept]), live);
  expect(sent[0]?.messages).toEqual([seen]);
});

test('what holds no image, and what stands inline from before, goes as it is', async () => {
  const images = openFileImages(await scratch());
  const said: Message = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
  expect(await storeImages(said, images)).toBe(said);
  const { sent, model } = listening();
  const request = requestOf([said, seen]);
  await withImages(model, images).countTokens?.(request, live);
  expect(sent[0]).toBe(request);
});

test('an image that is gone stops the call and names the file', async () => {
  const kept = await storeImages(seen, openFileImages(await scratch()));
  const { sent, model } = listening();
  const elsewhere = openFileImages(await scratch());
  await expect(withImages(model, elsewhere).call(requestOf([kept]), live)).rejects.toMatchObject({
    code: 'data_corrupt',
  });
  expect(sent).toEqual([]);
});

test('without a keeper the bytes stay in the entry', async () => {
  const session = createAgentConversation({ entries: [], step: 's', onAppend: async () => undefined });
  await session.append({ type: 'message', origin: 'human', message: seen });
  expect(JSON.stringify(session.entries)).toContain(data);
});

test.each(REFUSED_IMAGES)(
  '%s: never stored, and where an earlier version stored it, a text is sent',
  async (_, bad, says) => {
    const images = openFileImages(await scratch());
    const message: Message = { role: 'user', content: [bad] };
    const kept = await storeImages(message, images);
    expect(kept.content).toEqual([{ type: 'text', text: expect.stringContaining(says) as string }]);
    if (bad.source.type !== 'base64' || bad.source.data === '') return;
    const pointer = { type: 'stored' as const, media_type: 'image/png', ...(await images.keep(bad.source.data)) };
    const { sent, model } = listening();
    const request = requestOf([{ role: 'user', content: [{ type: 'image', source: pointer }] }]);
    await withImages(model, images).countTokens?.(request, live);
    expect(sent[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: expect.stringContaining('[An image is left out: it ') as string },
    ]);
  },
);

test('the pixels of an image are kept with its pointer, so that its cost is known', async () => {
  const kept = await storeImages({ role: 'user', content: [image] }, openFileImages(await scratch()));
  expect(kept.content).toMatchObject([{ source: { type: 'stored', width: 1184, height: 1000 } }]);
  expect(estimateMessages([kept])).toBe(estimateMessages([{ content: [image] }]));
});

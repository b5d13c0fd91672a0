import { expect, test } from 'vitest';
import { controlToolHost } from '../../../src/agent/tools/control-tool.ts';
import { createRecallTool } from '../../../src/agent/tools/recall.ts';
import type { Entry } from '../../../src/transcript/entry.ts';

const live = new AbortController().signal;
const long = 'x'.repeat(50_000);
const entries: Entry[] = [
  {
    ...{ version: 1, id: 'e1', parents: [], lane: 'main', type: 'message', origin: 'tools' },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: long }] },
  },
];
const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' } };
const stored = {
  type: 'image' as const,
  source: { type: 'stored' as const, media_type: 'image/png', sha256: 'a'.repeat(64), bytes: 3 },
};
entries.push(
  {
    ...{ version: 1, id: 'e2', parents: ['e1'], lane: 'main', type: 'message', origin: 'tools' },
    message: {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'the screen' }, stored] },
        image,
      ],
    },
  },
  { version: 1, id: 'e3', parents: ['e2'], lane: 'main', type: 'layer', name: 'law', text: 'be kind' },
);
const host = controlToolHost([createRecallTool('d', () => entries)]);
const ask = async (input: Record<string, unknown>): Promise<Record<string, unknown>> =>
  JSON.parse((await host.call('recall', input, live)).content) as Record<string, unknown>;

test('what has left the view comes back whole, part by part', async () => {
  const first = await ask({ id: '#e1' });
  expect(first).toMatchObject({ ok: true, id: 'e1', totalChars: 50_000, nextOffset: 40_000 });
  const second = await ask({ id: 'e1', offset: 40_000 });
  expect(second).not.toHaveProperty('nextOffset');
  expect(`${String(first['text'])}${String(second['text'])}`).toBe(long);
});

test('an unknown id is an answer, a malformed one an error', async () => {
  expect(await ask({ id: 'e9' })).toEqual({ ok: false, error: 'No entry is named e9.' });
  expect((await host.call('recall', { id: '../x' }, live)).is_error).toBe(true);
});

test('an image comes back as an image, beside its text (S3.10)', async () => {
  const answer = await host.call('recall', { id: 'e2' }, live);
  expect(answer.images).toEqual([stored, image]);
  expect(JSON.parse(answer.content)).toMatchObject({ ok: true, text: 'the screen' });
  for (const id of ['e1', 'e3', 'e9']) expect(await host.call('recall', { id }, live)).not.toHaveProperty('images');
  expect(await host.call('recall', { id: 'nonsense' }, live)).not.toHaveProperty('images');
});

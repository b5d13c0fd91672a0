/** News of a run: every open page hears of it, and one watcher is enough for all. */
import { expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Review } from '../../src/web/create-review.ts';
import { bearer } from './client.ts';
import { HOST } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

type Reader = { next: () => Promise<Record<string, unknown>>; stop: () => Promise<void> };

async function read({ app }: Review, run: string): Promise<Reader> {
  const response = await app.request(`http://${HOST}/runs/${run}/live`, {
    headers: { host: HOST, 'accept-encoding': 'gzip', ...bearer() },
  });
  // A packed stream would be held back until the packer has enough.
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('no stream');
  const decoder = new TextDecoder();
  let text = '';
  return {
    next: async () => {
      for (;;) {
        const found = /data: (\{.*\})\n/.exec(text);
        if (found !== null) {
          text = text.slice(found.index + found[0].length);
          return JSON.parse(found[1] ?? '') as Record<string, unknown>;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        text += decoder.decode(value);
      }
    },
    stop: () => reader.cancel(),
  };
}

test('an open page is told how the run stands, and again when it moves on; the last reader ends the watching', async () => {
  const run = await desk.waiting('run-1');
  const review = desk.review();
  const [one, two] = [await read(review, 'run-1'), await read(review, 'run-1')];
  const state = await desk.state(run);
  const digest = state.designs[0]?.digest;
  for (const reader of [one, two])
    expect(await reader.next()).toMatchObject({ length: 3, status: 'awaiting_approval', gate: 'HITL-1.r1', digest });
  expect(review.watched()).toBe(1);
  const body = { type: 'run.cancelled' as const, detail: '' };
  await run.journal.append(body, 'user:ada', state.length);
  for (const reader of [one, two])
    expect(await reader.next()).toMatchObject({ length: 4, status: 'cancelled', gate: '' });
  await one.stop();
  expect(review.watched()).toBe(1);
  await two.stop();
  for (let tries = 0; review.watched() > 0 && tries < 100; tries += 1) await sleep(10);
  expect(review.watched()).toBe(0);
});

/** A model's answer as bytes: whole, streamed, broken off, or something else. */
import { expect, test } from 'vitest';
import { assembleAnswer } from '../../../src/app/web/assemble-answer.ts';

const stream = [
  { type: 'message_start', message: { role: 'assistant', content: [], usage: {} } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'message_stop' },
].map((one) => `data: ${JSON.stringify(one)}\n\n`);

test.each([
  ['a whole answer', '{"content":[]}', { content: [] }],
  ['a stream', stream.join(''), { role: 'assistant', content: [{ type: 'text', text: 'Hello' }], usage: {} }],
  ['a stream that broke off', stream.slice(0, 3).join(''), undefined],
  ['another text', 'upstream timed out', undefined],
])('%s', (_, text, message) => {
  expect(assembleAnswer(Buffer.from(text))).toEqual(message);
});

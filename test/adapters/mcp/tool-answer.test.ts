/** A server's answer as a result of a tool. */
import { expect, test } from 'vitest';
import { toolAnswer as answerWithin, type ServerAnswer } from '../../../src/adapters/mcp/tool-answer.ts';
import { gifOf } from '../../support/images.ts';

const said = (text: string) => ({ type: 'text', text });

const toolAnswer = (answer: ServerAnswer, maxChars: number) =>
  answerWithin(answer, { maxChars, redact: (text) => text.replaceAll('a-key-of-somebody', '[secret]') });

test('a key is taken out before the text is cut: no half of it is left, wherever the cut falls', () => {
  for (let before = 680; before < 720; before += 1) {
    const { content } = toolAnswer(
      { content: [said(`${'x'.repeat(before)}a-key-of-somebody${'y'.repeat(999)}`)] },
      1000,
    );
    expect(content).not.toContain('a-k');
  }
});

test('texts are joined, control characters are shown and never sent, and a long answer says how long it was', () => {
  expect(toolAnswer({ content: [said('one'), said('\u001b[31mtwo')] }, 1000)).toEqual({
    content: 'one\n␛[31mtwo',
    is_error: false,
  });
  const { content } = toolAnswer({ content: [said('line\n'.repeat(1000))] }, 1000);
  expect(content.length).toBeLessThanOrEqual(1000);
  expect(content).toContain('of 5000 characters');
});

test('what is no text is named: images by their bytes, resources by their address, the rest by its kind', () => {
  const gif = gifOf(3, 3).toString('base64');
  const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' });
  const parts = [
    image(gif),
    image(Buffer.from('no image').toString('base64')),
    { type: 'resource', resource: { uri: 'a:b', text: 'words' } },
    { type: 'resource', resource: { uri: 'a:c', blob: 'AA==' } },
    { type: 'resource_link', uri: 'a:d', name: 'd' },
    { type: 'hologram' },
  ];
  const answer = toolAnswer({ content: parts }, 1000);
  expect(answer.images?.map(({ source }) => ('media_type' in source ? source.media_type : ''))).toEqual(['image/gif']);
  expect(answer.content.split('\n')).toEqual([
    '[an image]',
    '[An image is left out: it is no PNG, JPEG, GIF or WebP.]',
    '[a:b]',
    'words',
    '[a:c: no text]',
    '[see a:d d]',
    '[hologram: left out]',
  ]);
});

test('structured content stands for a text that is not there; an error stays one', () => {
  expect(toolAnswer({ content: [], structuredContent: { a: 1 } }, 1000)).toEqual({
    content: '{"a":1}',
    is_error: false,
  });
  expect(toolAnswer({ content: [said('x')], structuredContent: { a: 1 }, isError: true }, 1000)).toEqual({
    content: 'x',
    is_error: true,
  });
});

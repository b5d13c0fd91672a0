/** Images of a conversation on its page (S3.10): named by type, size and place, and never sent to a browser. */
import { expect, test } from 'vitest';
import { hashOf, png, say, stored } from '../support/pictures.ts';
import { signedIn } from './client.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();
const TALK = '/runs/run-1/transcripts/init';
const PNG = png(3, 2, [[200, 0, 0]]);

test('an image is told by its type, its size and its file, in a message and in a tool’s result', async () => {
  const run = await desk.waiting('run-1');
  const image = await stored(run, PNG);
  const data = PNG.toString('base64');
  await say(run, 'init', [image, { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }]);
  const client = await signedIn(desk.review());
  const { text } = await client.get(TALK);
  const told = `Picture: image/png, ${PNG.byteLength} bytes`;
  expect(text.split(`${told}, <code>transcripts/images/${hashOf(image)}</code>`)).toHaveLength(3);
  expect(text.split(told)).toHaveLength(4);
  expect(text).not.toContain('<img');
  expect((await client.get(`${TALK}/images/${hashOf(image)}`)).status).toBe(404);
});

test('a type that a model invents is text, whatever it holds', async () => {
  const run = await desk.waiting('run-1');
  await say(run, 'init', [await stored(run, PNG, '<script>alert(1)</script>')]);
  const { text } = await (await signedIn(desk.review())).get(TALK);
  expect(text).toContain('Picture: &lt;script&gt;alert(1)&lt;/script&gt;, ');
});

/** Real servers as processes: what they offer, what they answer, and what is left of them. The hostile ones are in test/slow. */
import { expect, test } from 'vitest';
import { openToolServers, type ServerSetup } from '../../../src/adapters/mcp/open-tool-servers.ts';

const live = new AbortController().signal;
const KEY = 'a-key-of-somebody';

function setup(mode: string, more: Partial<ServerSetup> = {}): ServerSetup {
  const command = [process.execPath, 'test/support/mcp-server.mjs', mode];
  const env = { PATH: process.env['PATH'] ?? '' };
  return {
    name: 'docs',
    startMs: 20_000,
    callMs: 20_000,
    maxChars: 60_000,
    redact: (text: string) => text.replaceAll(KEY, '[secret]'),
    cwd: '.',
    command,
    env,
    ...more,
  };
}

test('a server is started, offers its tools under names of its own, answers with text and images, and dies with the session', async () => {
  const open = await openToolServers([
    setup('good', { allowed: ['look_up', 'picture', 'environment', 'die', 'fly'] }),
  ]).open(['docs'], live);
  expect(open.offered[0]?.problems).toEqual(['docs has no tool named "fly"']);
  expect(open.host.definitions.map(({ name }) => name)).toEqual([
    'mcp__docs__look_up',
    'mcp__docs__picture',
    'mcp__docs__environment',
    'mcp__docs__die',
  ]);
  expect(await open.host.call('mcp__docs__look_up', { word: 'desk' }, live)).toEqual({
    content: 'desk: found',
    is_error: false,
  });
  const picture = await open.host.call('mcp__docs__picture', {}, live);
  expect(picture.images?.[0]?.source).toMatchObject({ type: 'base64', media_type: 'image/png' });
  // Nothing of this process's environment reaches it unless it is named.
  const { content } = await open.host.call('mcp__docs__environment', {}, live);
  expect(Object.keys(JSON.parse(content) as object).filter((name) => !name.startsWith('__'))).toEqual(['PATH']);
  // One that ended is a failed tool, and is started again for the next call.
  expect(await open.host.call('mcp__docs__die', {}, live)).toMatchObject({ is_error: true });
  expect(await open.host.call('mcp__docs__look_up', { word: 'desk' }, live)).toMatchObject({ content: 'desk: found' });
  await open.close();
});

test('a server that repeats its key brings it into no description, no schema, no answer and no error', async () => {
  const env = { PATH: process.env['PATH'] ?? '', KEY };
  const open = await openToolServers([setup('repeats', { env }), setup('dies', { env, name: 'dead' })]).open(
    ['docs', 'dead'],
    live,
  );
  const answers = [
    await open.host.call('mcp__docs__say', {}, live),
    await open.host.call('mcp__docs__complain', {}, live),
  ];
  await open.close();
  const all = JSON.stringify([open.offered, answers]);
  expect(all.match(/\[secret\]/g)?.length).toBe(4);
  expect(open.offered[1]?.problems).toEqual([expect.stringContaining('it wrote: word word')]);
  // Nor a part of it, at a place where something was cut.
  expect(all).not.toMatch(/a-k|body/);
});

test('a name that nobody configured is refused, and one that was given up says so', async () => {
  await expect(openToolServers([setup('good')]).open(['docz'], live)).rejects.toThrow('has: docs');
  const stop = new AbortController();
  const open = await openToolServers([setup('hang-call')]).open(['docs'], stop.signal);
  const call = open.host.call('mcp__docs__look_up', { word: 'x' }, stop.signal);
  stop.abort(new Error('a person stopped it'));
  await expect(call).rejects.toThrow('a person stopped it');
  await open.close();
});

test('of twelve tools with schemas of all kinds those that can be are offered, the others are named, and calls have the names of the server', async () => {
  const open = await openToolServers([setup('foreign')]).open(['docs'], live);
  const [offer] = open.offered;
  expect(offer?.definitions.map(({ name }) => name.replace('mcp__docs__', ''))).toEqual([
    ...['filter', 'limits', 'lists', 'either', 'nothing'],
    ...['plain_0', 'plain_1', 'plain_2', 'plain_3', 'plain_4'],
  ]);
  expect(offer?.problems).toEqual([
    'docs: "broken" is left out: /properties/a has the type "file"',
    'docs: "array" is left out: its input schema is not of an object',
  ]);
  const sent = Object.keys(offer?.definitions[0]?.input_schema['properties'] as object);
  const input = Object.fromEntries(sent.map((name) => [name, name]));
  const { content } = await open.host.call('mcp__docs__filter', input, live);
  expect(JSON.parse(content)).toEqual({ $filter: sent[0], 'filter[name]': sent[1] });
  await open.close();
});

/** A person's own session beside those of runs: said with `-p`, listed, shown, exported. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportCommand } from '../../../src/cli/session/terminal-session.ts';
import { sessionCommand } from '../../../src/cli/session/session.ts';
import { listSessions, showSession } from '../../../src/cli/sessions/sessions.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';

const signal = new AbortController().signal;

test('a session is said, listed, shown as it was and exported', async () => {
  const dir = await scratch();
  await writeFile(join(dir, 'notes.md'), 'The heron opens at nine.');
  const io = () => fakeIo(dir);
  const [first, second] = [io(), io()];
  const print = 'look around, and at @notes.md';
  expect(await sessionCommand('session', { print, json: true }, { io: first, signal })).toBe(0);
  const { session, spentUsd } = first.json();
  expect(first.json()).toMatchObject({ agent: 'session', turn: 1, end: 'answered', files: ['uploads/t1/notes.md'] });
  expect(spentUsd).toBeGreaterThan(0);
  expect(await sessionCommand(undefined, { resume: 'last', print: 'hello' }, { io: second, signal })).toBe(0);
  expect(second.lines.join('\n')).toContain('offline model');

  const list = io();
  await listSessions({ json: true }, list);
  expect(JSON.parse(list.lines[0] ?? '')).toMatchObject([{ id: session, agent: 'session', status: 'idle', calls: 3 }]);
  const shown = io();
  await showSession(String(session), {}, shown);
  expect(shown.lines.join('\n')).toMatch(/call_subagent[\s\S]*uploads:\n +- uploads\/t1\/notes\.md/);
  expect(shown.lines.join('\n')).toContain('modelPreference: null');
  // What a person prefers belongs to the session, also when it is taken up again without a word about it.
  const model = 'claude-haiku-5-5';
  await sessionCommand(undefined, { resume: 'last', model, print: 'hello' }, { io: io(), signal });
  await sessionCommand(undefined, { resume: 'last', print: 'hello' }, { io: io(), signal });
  const preferred = io();
  await showSession(String(session), { json: true }, preferred);
  expect(JSON.parse(preferred.lines[0] ?? '')).toMatchObject([
    { model, modelPreference: { model, actor: expect.stringMatching(/^user:/) as string } },
  ]);
  await exportCommand(String(session), { out: 'talk.json' }, io());
  expect(await readFile(join(dir, 'talk.json'), 'utf8')).toContain('look around');
  await expect(exportCommand('last', { out: 'talk.json' }, io())).rejects.toMatchObject({ code: 'usage' });
  await expect(exportCommand('last', { format: 'md' }, io())).rejects.toThrow('is exported as json');
});

test('a file that no agent can read sends nothing, and the session of that message is not the last one', async () => {
  const dir = await scratch();
  const bytes = new Uint8Array([137, 0, 1, 2, 255, 254, 0, 9]);
  await mkdir(join(dir, 'papers'));
  for (const name of ['cut.png', 'papers/scan.pdf']) await writeFile(join(dir, name), bytes);
  const say = async (print: string, more = {}) => {
    const io = fakeIo(dir);
    await sessionCommand(undefined, { print, json: true, ...more }, { io, signal });
    return io.json();
  };
  const { session } = await say('hello');
  await expect(say('See @cut.png')).rejects.toThrow(/cut\.png is no image .* and no text .*Nothing was sent/);
  expect(await say('See @papers/', { resume: 'last' })).toMatchObject({
    session,
    files: ['uploads/t2/papers/scan.pdf'],
  });
  await exportCommand(String(session), { out: 'talk.json' }, fakeIo(dir));
  expect(await readFile(join(dir, 'talk.json'), 'utf8')).toContain('and cannot be read.]');
});

test('what is wrong is said before anything is written', async () => {
  const dir = await scratch();
  const say = (agent: string | undefined, more: object) =>
    sessionCommand(agent, { print: 'hello', ...more }, { io: fakeIo(dir), signal });
  await expect(say('nobody', {})).rejects.toThrow('There are: chat, execute, init, session');
  await expect(say(undefined, { resume: 'x' })).rejects.toThrow('There are none yet');
  await expect(say('session', { resume: 'x' })).rejects.toThrow('--resume');
  await expect(say(undefined, { policy: 'none' })).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(say(undefined, { budget: 'much' })).rejects.toMatchObject({ code: 'usage' });
  const list = fakeIo(dir);
  await listSessions({}, list);
  expect(list.lines.join()).toContain('No sessions yet');
});

test('--stream tells each thing as it happens, a JSON value a line, and the answer last', async () => {
  const dir = await scratch();
  const io = fakeIo(dir);
  expect(await sessionCommand('session', { print: 'make a plan', stream: true }, { io, signal })).toBe(0);
  const news = io.lines.map(
    (line) => JSON.parse(line) as { type: string; text?: string; ended?: { isError: boolean } },
  );
  const end = news.at(-1);
  expect(end).toMatchObject({ type: 'end', end: 'answered', turn: 1, calls: 2 });
  const text = news.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('');
  expect(text).toBe(end?.text);
  expect(news.flatMap(({ ended }) => ended ?? [])).toEqual([{ isError: false }]);
  await expect(sessionCommand('session', { stream: true }, { io, signal })).rejects.toThrow('--stream goes with -p');
});

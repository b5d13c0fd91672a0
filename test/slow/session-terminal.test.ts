/** `tandem session` on a real pseudo-terminal, at 80 and at 200 columns: every word and key of it. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SessionEvent } from '../../src/run/session-event.ts';
import { makeProject, tandem } from '../support/cli.ts';
import { KEYS, openTerminal, pasted, type Terminal } from '../support/terminal.ts';

let project: string;
let open: Terminal[] = [];
beforeEach(async () => {
  project = await makeProject();
  await writeFile(join(project, 'notes.md'), 'The desk opens at nine.\n');
  await mkdir(join(project, '资料'));
  await writeFile(join(project, '资料', '价格.md'), '三十元\n');
  await mkdir(join(project, 'commands'));
  await writeFile(join(project, 'commands', 'greet.md'), 'Greet $ARGUMENTS, and tell a story.');
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await writeFile(join(project, 'a picture.png'), Buffer.from(pixel, 'base64'));
});
afterEach(async () => {
  for (const one of open) await one.kill();
  open = [];
  await rm(project, { recursive: true, force: true });
});

async function session(columns: number, ...args: string[]): Promise<Terminal> {
  const terminal = await openTerminal(['session', ...args], { cwd: project, columns });
  open.push(terminal);
  await terminal.shows('> ');
  return terminal;
}

const enter = (text: string): string => `${text}${KEYS.enter}`;

/** The events of the first session; another one is its fork. */
async function events(): Promise<SessionEvent['body'][]> {
  const [id = ''] = (await readdir(join(project, 'sessions'))).toSorted();
  const folder = join(project, 'sessions', id, 'events');
  const names = (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => SessionEvent.parse(JSON.parse(await readFile(join(folder, name), 'utf8'))).body),
  );
}
const said = async () => (await events()).flatMap((body) => (body.type === 'session.said' ? [body] : []));

test.each([80, 200])(
  'words, files, images, history and pastes at %i columns',
  async (columns) => {
    const at = await session(columns);
    at.send(enter('/help'));
    await at.shows('/undo');
    await at.shows('> ');
    at.send(enter('/curent'));
    await at.shows('is no word here');
    // Tab: a file, a folder of Chinese letters behind Chinese text, and a word.
    at.send(`tell a story about @no${KEYS.tab}`);
    await at.shows('@notes.md');
    at.send(KEYS.enter);
    await at.shows('whole story');
    await at.shows('of $5.00');
    at.send(`看看@资${KEYS.tab}`);
    await at.shows('@资料/');
    at.send(KEYS.tab);
    await at.shows('价格.md');
    at.send(KEYS.enter);
    await at.shows('of $5.00');
    at.send(`@todo${KEYS.tab}`);
    await at.shows('@todo_write');
    at.send(KEYS.ctrlC);
    at.send(`/cur${KEYS.tab}`);
    await at.shows('/current');
    at.send(KEYS.enter);
    await at.shows('policy two-agent');
    await at.shows('> ');
    at.send(enter(`What is on a\\ picture.png?`));
    await at.shows('of $5.00');
    at.send(enter(pasted('first line\nsecond line, make a plan\n')));
    await at.shows('todo_write');
    await at.shows('of $5.00');
    at.send(enter('/greet ada'));
    await at.shows('whole story');
    await at.shows('of $5.00');
    at.send(KEYS.up);
    await at.shows('/greet ada');
    at.send(KEYS.ctrlC);
    at.send(enter('/cost'));
    await at.shows('turn 5');
    for (const [word, shown] of [
      ['/tools', 'call_subagent'],
      ['/skills', 'no skills'],
      ['/context', 'session'],
      ['/policy layered', 'policy layered'],
      ['/model nobody-knows', 'nobody-knows'],
      ['/model claude-haiku-5-5', 'model claude-haiku-5-5'],
      ['/budget 9', 'at most $9.00'],
      ['/export md talk.md', 'exported as json'],
      ['/export json talk.json', 'written'],
      ['/fork', 'session --resume'],
    ] as const) {
      at.send(enter(word));
      await at.shows(shown);
      await at.shows('> ');
    }
    at.send(enter('/undo'));
    await at.shows('Taken back');
    // What was taken back stands in the line, to be changed.
    await at.shows('Greet ada');
    at.send(KEYS.ctrlC);
    at.send(enter('/clean'));
    await at.shows('begins afresh');
    await at.shows('> ');
    at.send(KEYS.ctrlD);
    expect(await at.ended, at.text()).toBe(0);
    expect(at.raw()).toContain('# The desk that learned to listen');
    const turns = await said();
    expect(turns.map(({ files }) => files)).toEqual([
      ['uploads/t1/notes.md'],
      ['uploads/t2/资料/价格.md'],
      ['uploads/t3/a picture.png'],
      [],
      [],
    ]);
    expect(turns[2]?.images).toEqual(['uploads/t3/a picture.png']);
    expect(turns.map(({ text }) => text).slice(3)).toEqual([
      'first line\nsecond line, make a plan',
      'Greet ada, and tell a story.',
    ]);
    expect(await readFile(join(project, 'talk.json'), 'utf8')).toContain('todo_write');
    expect(existsSync(join(project, 'talk.md'))).toBe(false);
  },
  60_000,
);

test.each([80, 200])(
  '/compact at %i columns: what is too short costs nothing, the rest becomes a summary',
  async (columns) => {
    await writeFile(join(project, 'long.md'), 'The clerk writes each loan down in the book.\n'.repeat(250));
    const at = await session(columns);
    for (const text of ['tell a story', 'look at @long.md', 'tell a story']) {
      at.send(enter(text));
      await at.shows('of $5.00');
      await at.shows('> ');
      if (text !== 'tell a story' || (await said()).length > 1) continue;
      at.send(enter('/compact'));
      await at.shows('nothing was paid');
      await at.shows('> ');
    }
    at.send(enter('/compact keep the desk'));
    await at.shows('a summary replaces everything');
    await at.shows('of $5.00');
    await at.shows('> ');
    at.send(enter('/current'));
    await at.shows('1 compaction');
    await at.shows('> ');
    at.send(KEYS.ctrlD);
    expect(await at.ended, at.text()).toBe(0);
    expect((await said()).map(({ text, sent }) => [text, sent !== undefined])).toEqual([
      ['tell a story', true],
      ['look at @long.md', true],
      ['tell a story', true],
      ['keep the desk', false],
    ]);
  },
);

test('Ctrl-C stops an answer and keeps what came; twice ends with 130, and --resume goes on', async () => {
  await mkdir(join(project, 'config'), { recursive: true });
  await writeFile(join(project, 'config', 'default.yaml'), 'version: 1\nsimulator: { latency_ms: 3000 }\n');
  const at = await session(80, '--budget', '3');
  at.send(enter('tell a story'));
  await at.shows('thinking');
  at.send(KEYS.ctrlC);
  await at.shows('Stopped. What was written stays');
  await at.shows('> ');
  at.send(KEYS.ctrlC);
  expect(await at.ended).toBe(130);
  expect((await events()).at(-1)).toMatchObject({ type: 'session.answered', end: 'stopped' });
  await rm(join(project, 'config'), { recursive: true });
  const again = await session(80, '--resume', 'last');
  expect(again.text()).toContain('tell a story (stopped)');
  again.send(enter('look around'));
  await again.shows('· glob');
  await again.shows('That is all there is');
  await again.shows('of $3.00');
  again.send(enter('/quit'));
  expect(await again.ended).toBe(0);
});

test('a terminal that becomes narrow, NO_COLOR, and a pipe', async () => {
  const at = await session(200);
  await at.resize(40);
  at.send(`a line that is far longer than forty columns are wide, to be edited, and then ${KEYS.ctrlC}`);
  at.send(enter('tell a story'));
  await at.shows('asked back once');
  await at.shows('of $5.00');
  await at.resize(200);
  at.send(enter('/cost'));
  await at.shows('turn 1');
  at.send(KEYS.ctrlD);
  expect(await at.ended).toBe(0);
  expect((await said()).map(({ text }) => text)).toEqual(['tell a story']);

  const plain = await openTerminal(['session', '--resume', 'last'], { cwd: project, env: { NO_COLOR: '1' } });
  open.push(plain);
  await plain.shows('> ');
  plain.send(enter('tell a story'));
  await plain.shows('of $5.00');
  await plain.shows('> ');
  plain.send(KEYS.ctrlD);
  expect(await plain.ended).toBe(0);
  expect(plain.text()).toContain('# The desk that learned to listen');
  // Lines are redrawn while they are typed; nothing has a colour.
  // oxlint-disable-next-line no-control-regex -- this is what is looked for
  expect(plain.raw()).not.toMatch(/\u001B\[[0-9;]*m/);

  const piped = await tandem(project, ['session', '--resume', 'last', '-p', 'tell a story']);
  expect([piped.code, piped.stdout]).toEqual([0, expect.stringMatching(/^# The desk that learned to listen\n/)]);
  expect(`${piped.stdout}${piped.stderr}`).not.toContain('\u001B');
  const nobody = await tandem(project, ['session', '--resume', 'last']);
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('Nobody can type here')]);
});

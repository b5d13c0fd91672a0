/** Marks of processes at work: a dead one is told from a living one, here at once and elsewhere after a while. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { listMarks, openLiveMark } from '../../src/disk/live-mark.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch } from '../support/scratch.ts';

let dir: string;
beforeEach(async () => {
  dir = await scratch();
});

const file = () => join(dir, 'asking/one.json');
/** The mark as another process, or another machine, would have left it. */
async function change(fields: object): Promise<void> {
  await writeFile(file(), JSON.stringify({ ...(JSON.parse(await readFile(file(), 'utf8')) as object), ...fields }));
}
const alive = async () => (await listMarks(openSharedFiles(dir), 'asking')).map((mark) => mark.alive);

test('a mark says what it was told, and is gone when it ends', async () => {
  const mark = await openLiveMark(openSharedFiles(dir), 'asking/one.json');
  expect(await listMarks(openSharedFiles(dir), 'asking')).toEqual([{ name: 'one', alive: true, said: '' }]);
  await mark.say('sent');
  expect(await listMarks(openSharedFiles(dir), 'asking')).toEqual([{ name: 'one', alive: true, said: 'sent' }]);
  await mark.end();
  expect(await readdir(join(dir, 'asking'))).toEqual([]);
  await mark.say('more');
  expect(await readdir(join(dir, 'asking'))).toEqual([]);
});

test('a process of this machine that is gone is dead at once', async () => {
  const mark = await openLiveMark(openSharedFiles(dir), 'asking/one.json');
  await change({ pid: spawnSync(process.execPath, ['-e', '']).pid });
  expect(await alive()).toEqual([false]);
  await mark.end();
});

test('of another machine nobody can know: it lives until its time is over', async () => {
  const mark = await openLiveMark(openSharedFiles(dir), 'asking/one.json');
  await change({ place: 'elsewhere pid:[1]', pid: 1 });
  expect(await alive()).toEqual([true]);
  await change({ until: new Date(Date.now() - 1).toISOString() });
  expect(await alive()).toEqual([false]);
  await mark.end();
});

test('it is renewed for as long as its process lives', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const mark = await openLiveMark(openSharedFiles(dir), 'asking/one.json');
    await change({ until: new Date(0).toISOString() });
    expect(await alive()).toEqual([false]);
    vi.advanceTimersByTime(10_000);
    await mark.say('renewed before this');
    expect(await alive()).toEqual([true]);
    await mark.end();
    vi.advanceTimersByTime(60_000);
    expect(await readdir(join(dir, 'asking'))).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('what is no mark is one of a dead process; other files and links are none', async () => {
  expect(await listMarks(openSharedFiles(dir), 'asking')).toEqual([]);
  await mkdir(join(dir, 'asking'));
  for (const text of ['', '{"version":1}', '[]', '{"version":1,"place":"x","pid":-1,"until":"","said":""}'])
    await writeFile(file(), text).then(async () =>
      expect(await listMarks(openSharedFiles(dir), 'asking')).toEqual([{ name: 'one', alive: false, said: '' }]),
    );
  await writeFile(join(dir, 'asking/notes.txt'), '');
  await writeFile(join(dir, 'asking/.tmp-1.json'), '');
  expect(await alive()).toEqual([false]);
  const other = await scratch();
  await symlink(join(dir, 'asking'), join(other, 'asking'));
  await expect(listMarks(openSharedFiles(other), 'asking')).rejects.toMatchObject({ code: 'data_corrupt' });
  await expect(openLiveMark(openSharedFiles(other), 'asking/one.json')).rejects.toMatchObject({ code: 'data_corrupt' });
});

/** What is swept is of a process that is gone: tried on one that is killed, one that lives, and what merely looks alike. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sweepTemporaryFolders, createTemporaryFolder } from '../../src/disk/temporary-folder.ts';
import { scratch } from '../support/scratch.ts';

let place: string;
beforeEach(async () => {
  place = await scratch();
  vi.stubEnv('TMPDIR', place);
});
afterEach(() => void vi.unstubAllEnvs());

/** Another process of this machine that has made one, with a file in it. */
async function owner(): Promise<{ folder: string; kill: () => Promise<void> }> {
  const script = `const { createTemporaryFolder } = await import(${JSON.stringify(resolve('src/disk/temporary-folder.ts'))});
    const { writeFileSync } = await import('node:fs');
    const dir = await createTemporaryFolder('trial');
    writeFileSync(dir + '/trace.jsonl', 'half a line');
    console.log(dir);
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    folder: String(said).trim(),
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('folders of a killed process go, those of living ones stay, this process included', async () => {
  const [dead, alive, own] = [await owner(), await owner(), await createTemporaryFolder('trial')];
  try {
    await dead.kill();
    expect(await sweepTemporaryFolders()).toEqual([basename(dead.folder)]);
    expect((await readdir(place)).toSorted()).toEqual([basename(alive.folder), basename(own)].toSorted());
    expect(await readdir(alive.folder)).toEqual(['trace.jsonl']);
  } finally {
    await alive.kill();
  }
});

test('a file, a link, another place and another name are left alone', async () => {
  const { folder, kill } = await owner();
  await kill();
  const name = basename(folder);
  await rename(folder, join(dirname(folder), 'elsewhere'));
  await writeFile(`${folder}file`, '');
  await symlink(join(place, 'elsewhere'), `${folder}link`);
  await mkdir(join(place, name.replace(/-[0-9a-f]{8}-/, '-00000000-')));
  await mkdir(join(place, 'tandem-project-AbCdEf'));
  const before = await readdir(place);
  expect(await sweepTemporaryFolders()).toEqual([]);
  expect(await readdir(place)).toEqual(before);
  expect(await readdir(join(place, 'elsewhere'))).toEqual(['trace.jsonl']);
});

test('where nothing can be listed nothing is swept', async () => {
  vi.stubEnv('TMPDIR', join(place, 'gone'));
  expect(await sweepTemporaryFolders()).toEqual([]);
});

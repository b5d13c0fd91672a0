import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { listComponentFiles } from '../../../src/evaluation/components/component-files.ts';
import { scratch } from '../../support/scratch.ts';

/** A folder that this user may not read: who runs the tests as root may read all. */
const denied = vi.hoisted(() => ({ folder: '' }));
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  const readdir = (path: string, options: { withFileTypes: true }) =>
    path === denied.folder
      ? Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }))
      : real.readdir(path, options);
  return { ...real, readdir };
});

const SAMPLES = { folder: 'samples', endings: ['.json'], layer: 4 } as const;

async function samplesFolder(count: number): Promise<string> {
  const dir = await scratch();
  await mkdir(join(dir, 'samples'));
  const names = Array.from({ length: count }, (_, index) => `s${index}.json`);
  await Promise.all(names.map((name) => writeFile(join(dir, 'samples', name), '{}')));
  return dir;
}

test('a thousand samples are read', async () => {
  const { files, problems } = await listComponentFiles(await samplesFolder(1000), SAMPLES);
  expect([files.length, problems]).toEqual([1000, []]);
});

test('more files than are read are one problem that says what to do', async () => {
  const { files, problems } = await listComponentFiles(await samplesFolder(5), { ...SAMPLES, most: 3 });
  expect(files.map(({ name }) => name)).toEqual(['s0', 's1', 's2']);
  expect(problems).toMatchObject([
    {
      code: 'file-refused',
      message:
        'samples: it holds 5 files, and at most 3 are read: move some into another scenario (tandem batch runs several together)',
    },
  ]);
});

test('a folder that is not there holds nothing, and one that this user may not read is named', async () => {
  const dir = await scratch();
  expect(await listComponentFiles(dir, SAMPLES)).toEqual({ files: [], problems: [] });
  denied.folder = join(dir, 'samples');
  const message = `${denied.folder}: cannot be read. This user has no right to read it.`;
  await expect(listComponentFiles(dir, SAMPLES)).rejects.toMatchObject({ code: 'not_found', message });
});

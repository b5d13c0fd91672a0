import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { listComponentFiles } from '../../../src/evaluation/components/component-files.ts';
import { scratch } from '../../support/scratch.ts';

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
  await mkdir(join(dir, 'samples'));
  await chmod(join(dir, 'samples'), 0o000);
  const program = `
    const { listComponentFiles } = await import(${JSON.stringify(import.meta.resolve('../../../src/evaluation/components/component-files.ts'))});
    const listed = listComponentFiles(${JSON.stringify(dir)}, ${JSON.stringify(SAMPLES)});
    console.log(await listed.then(() => 'listed', ({ code, message }) => code + ' ' + message));`;
  // Root may read all, so the program runs as nobody there.
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    ...as,
    cwd: '/',
  });
  const message = 'cannot be read. This user has no right to read it.';
  expect(stdout).toBe(`not_found ${join(dir, 'samples')}: ${message}\n`);
});

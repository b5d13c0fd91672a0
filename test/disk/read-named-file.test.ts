/** A file that a person names is read, or refused with its name and the reason. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readNamedFile, readNamedText } from '../../src/disk/read-named-file.ts';
import { scratch } from '../support/scratch.ts';

test('text comes as it is, gzipped or not', async () => {
  const dir = await scratch();
  await writeFile(join(dir, 'plain'), 'Größe');
  await writeFile(join(dir, 'packed'), gzipSync('Größe'));
  for (const name of ['plain', 'packed']) expect(await readNamedText(join(dir, name))).toBe('Größe');
  expect(await readNamedFile(join(dir, 'plain'))).toEqual(Buffer.from('Größe'));
});

test('what cannot be read is refused with its name and the reason, and a pipe keeps nobody waiting', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'folder'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  const reasons = { missing: 'It is not there.', folder: 'It is no file.', pipe: 'It is no file.' };
  for (const [name, why] of Object.entries(reasons))
    await expect(readNamedText(join(dir, name), name)).rejects.toMatchObject({
      ...{ code: 'not_found', message: `${name}: cannot be read. ${why}` },
    });
});

test('what is no text, or cannot be unpacked, says so; a file that is being written may end within a character', async () => {
  const dir = await scratch();
  await writeFile(join(dir, 'torn'), Buffer.from('Größe').subarray(0, 3));
  await writeFile(join(dir, 'cut.gz'), gzipSync('Größe'.repeat(1000)).subarray(0, 30));
  const read = (name: string) => readNamedText(join(dir, name), name);
  await expect(read('torn')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('torn: is not text in UTF-8'),
  });
  await expect(read('cut.gz')).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('cannot be unpacked'),
  });
  expect(await readNamedText(join(dir, 'torn'), 'torn', { mayBeTorn: true })).toMatch(/^Gr/);
});

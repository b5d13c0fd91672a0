import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileImages } from '../../../src/adapters/files/file-transcripts.ts';
import { imagesContract } from '../../contracts/images.contract.ts';
import { scratch } from '../../support/scratch.ts';

describe('images on disk (S3.10)', () => {
  imagesContract(async () => openFileImages(await scratch()));
});

test('each stands in transcripts/images under its hash, and nothing else does', async () => {
  const dir = await scratch();
  const { sha256 } = await openFileImages(dir).keep('AAAA');
  await openFileImages(dir).keep('AAAA');
  expect(await readdir(join(dir, 'transcripts/images'))).toEqual([sha256]);
  expect(await readFile(join(dir, 'transcripts/images', sha256))).toEqual(Buffer.from([0, 0, 0]));
});

test('changed bytes are refused by name; keeping the image again heals a torn file', async () => {
  const dir = await scratch();
  const images = openFileImages(dir);
  const { sha256 } = await images.keep('AAAA');
  const path = join(dir, 'transcripts/images', sha256);
  await writeFile(path, 'x');
  await expect(images.load(sha256)).rejects.toMatchObject({
    code: 'data_corrupt',
    message: expect.stringContaining(`transcripts/images/${sha256}: it holds other bytes`) as string,
  });
  await images.keep('AAAA');
  expect(await images.load(sha256)).toBe('AAAA');
});

test('a symbolic link is no image', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'transcripts/images'), { recursive: true });
  await symlink('/etc/hostname', join(dir, 'transcripts/images', 'a'.repeat(64)));
  await expect(openFileImages(dir).load('a'.repeat(64))).rejects.toMatchObject({ code: 'data_corrupt' });
});

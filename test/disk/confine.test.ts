import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { confinePath, makeFolders, refuseLinks, isDeviceName } from '../../src/disk/confine.ts';
import { scratch } from '../support/scratch.ts';
import { propertyRuns } from '../support/property-runs.ts';

test('no text leads out of the root', () => {
  const parts = fc.oneof(fc.constantFrom('..', '.', '', '/', '\\', '\0', 'a', '...', '~', 'C:'), fc.string());
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), (list) => {
      const path = list.join('/');
      try {
        const way = relative('/srv/run', confinePath('/srv/run', path));
        expect(way).not.toBe('');
        expect(isAbsolute(way) || way.split('/').includes('..')).toBe(false);
      } catch (error) {
        expect(error).toMatchObject({ code: 'usage' });
      }
    }),
    propertyRuns(500),
  );
});

test('plain names of any alphabet stay as they are', () => {
  expect(confinePath('/srv', 'gates/HITL-1.r1/pack.json')).toBe('/srv/gates/HITL-1.r1/pack.json');
  expect(confinePath('/srv', '日本/ä b.md')).toBe('/srv/日本/ä b.md');
});

test('a link anywhere on the way is refused, what is missing is not', async () => {
  const root = await scratch();
  await mkdir(join(root, 'a'));
  await symlink('/etc', join(root, 'a/b'));
  await expect(refuseLinks(root, join(root, 'a/b'))).rejects.toMatchObject({ code: 'data_corrupt' });
  await expect(refuseLinks(root, join(root, 'a/b/hostname'))).rejects.toMatchObject({ code: 'data_corrupt' });
  await refuseLinks(root, join(root, 'a/c/d'));
});

test('folders are made below a root that is there, and a root that has gone is not made again', async () => {
  const root = await scratch();
  await makeFolders(root, join(root, 'a/b/c'));
  await makeFolders(root, join(root, 'a/b/c'));
  await writeFile(join(root, 'a/b/c/file'), '');
  const gone = join(root, 'gone');
  await expect(makeFolders(gone, join(gone, 'a/b'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readdir(root)).toEqual(['a']);
});

test.each(['con', 'NUL', 'Aux.json', 'com1', 'lpt9', 'prn'])('%s is a device on Windows', (name) => {
  expect(isDeviceName(name)).toBe(true);
});

test.each(['console', 'con-1', 'null', 'com', 'my-aux', ''])('"%s" is a device nowhere', (name) => {
  expect(isDeviceName(name)).toBe(false);
});

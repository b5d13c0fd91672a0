/** Shared files in a folder pass the suite of their port; links that lead elsewhere are not followed where agents write. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { sharedFilesContract } from '../contracts/shared-files.contract.ts';
import { scratch } from '../support/scratch.ts';

sharedFilesContract('a folder', async () => {
  const root = await scratch();
  return { shared: openSharedFiles(root), another: () => openSharedFiles(root) };
});

test('a linked folder is refused in a run, and is as good as any in a project', async () => {
  const [root, elsewhere] = [await scratch(), await scratch()];
  await mkdir(join(elsewhere, 'scenarios'));
  await writeFile(join(elsewhere, 'scenarios/a.json'), 'a');
  await writeFile(join(elsewhere, 'scenarios/.tmp-b.json'), 'half');
  await symlink(join(elsewhere, 'scenarios'), join(root, 'scenarios'));
  await expect(openSharedFiles(root).list('scenarios')).rejects.toMatchObject({ code: 'data_corrupt' });
  expect([...(await openSharedFiles(root, { linked: true }).list('scenarios'))]).toEqual([['a.json', 'a']]);
});

/** Which project a command uses: the marked folder above, else the working directory; and none that others can write to. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFile, findHome, findOwnFile, listNames, describeProject } from '../../src/config/home.ts';
import { scratch } from '../support/scratch.ts';

async function inside(folder: string, ...names: string[]): Promise<string> {
  const path = join(folder, ...names);
  await mkdir(path, { recursive: true });
  return path;
}

test('a folder above that only has scenarios/ is no project of ours, and that is said', async () => {
  const root = await scratch();
  await inside(root, 'scenarios');
  const below = await inside(root, 'a/b');
  const home = findHome(below);
  expect(home.project).toBe(below);
  expect(describeProject(home, below)).toEqual([`project  ${below}; not ${root}: it has no tandem.yaml`]);
  expect(describeProject(findHome(root), root)).toEqual([]);
});

test('the nearest marked folder is the project of all folders in it, and that is said where it is another one', async () => {
  const root = await scratch();
  await writeFile(join(root, 'tandem.yaml'), 'version: 1\nname: mine\n');
  const below = await inside(root, 'a/b');
  expect(findHome(below).project).toBe(root);
  expect(describeProject(findHome(below), below)).toEqual([`project  ${root} (its tandem.yaml)`]);
  expect(describeProject(findHome(root), root)).toEqual([]);
});

test('what everybody can write to is not read: the marker above is passed by, own files give way to shipped ones', async () => {
  const root = await scratch();
  const open = await inside(root, 'shared');
  await writeFile(join(open, 'tandem.yaml'), 'version: 1\nname: trap\n');
  await inside(open, 'config/profiles');
  await writeFile(join(open, 'config/profiles/trap.yaml'), 'version: 1\n');
  await writeFile(join(open, 'config/default.yaml'), 'version: 1\n');
  const below = await inside(open, 'mine');
  await chmod(open, 0o777);
  expect(findHome(below).project).toBe(below);
  expect(describeProject(findHome(below), below)[0]).toContain(`not ${open}: everybody can write to it`);

  const home = findHome(open);
  expect(describeProject(home, open)[0]).toContain('everybody can write to it, so its own agents/');
  expect(findFile(home, 'config/default.yaml')).toBe(join(home.shipped, 'config/default.yaml'));
  expect(findOwnFile(home, 'config/default.yaml')).toBeUndefined();
  expect(listNames(home, 'config/profiles')).not.toContain('trap.yaml');
});

test('what a worker or a system puts beside them is no scenario', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'scenarios', 'my-desk'), { recursive: true });
  await mkdir(join(dir, 'scenarios', '.workers'));
  const names = listNames(findHome(dir), 'scenarios');
  expect([names.includes('my-desk'), names.includes('.workers')]).toEqual([true, false]);
});

/** A printed command can be pasted: it names this program as the shell that shows it would find it. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { toPasteable, findShellCommand } from '../../src/cli/shell-command.ts';
import { scratch } from '../support/scratch.ts';

async function install() {
  const root = await scratch();
  for (const folder of ['pkg/bin', 'path', 'other', 'user/sub', 'user/node_modules/.bin'])
    await mkdir(join(root, folder), { recursive: true });
  const program = join(root, 'pkg/bin/tandem.js');
  await writeFile(program, '');
  await writeFile(join(root, 'pkg/package.json'), '{}');
  return { root, program, at: (folder: string) => join(root, folder) };
}

test('tandem where it is on the PATH, and this very program', async () => {
  const { at, program } = await install();
  await symlink(program, at('path/tandem'));
  await writeFile(at('other/tandem'), '');
  const env = (...folders: string[]) => ({ PATH: folders.map(at).join(delimiter) });
  expect(findShellCommand({ env: env('nowhere', 'path'), cwd: at('other') }, program)).toBe('tandem');
  expect(findShellCommand({ env: env('other'), cwd: at('other') }, program)).toBe(`node ${program}`);
});

test('npx tandem in a checkout and where it is a dependency, although npm put its folder on the PATH', async () => {
  const { at, program } = await install();
  await writeFile(at('user/package.json'), '{}');
  await symlink(program, at('user/node_modules/.bin/tandem'));
  const env = { PATH: at('user/node_modules/.bin') };
  for (const cwd of ['user', 'user/sub', 'pkg', 'pkg/bin'])
    expect(findShellCommand({ env, cwd: at(cwd) }, program)).toBe('npx tandem');
});

test('npx by the name of the package where npx itself installed it', () => {
  expect(
    findShellCommand({ env: {}, cwd: '/' }, '/home/u/.npm/_npx/1f/node_modules/tandem-harness/bin/tandem.js'),
  ).toBe('npx tandem-harness');
  expect(findShellCommand({ env: {}, cwd: '/' }, "/home/it's/tandem.js")).toBe(
    String.raw`node '/home/it'\''s/tandem.js'`,
  );
});

test('commands are rewritten, and neither prose, paths nor JSON', () => {
  const names = ['run', 'gates', 'resume'];
  const shown = (text: string) => toPasteable(text, 'npx tandem', names);
  expect(shown('go on    tandem resume x')).toBe('go on    npx tandem resume x');
  expect(shown('(ANTHROPIC_API_KEY=… tandem run x)\n`tandem gates list`')).toBe(
    '(ANTHROPIC_API_KEY=… npx tandem run x)\n`npx tandem gates list`',
  );
  for (const same of [
    'tandem: no',
    'npx tandem run x',
    './bin/tandem run x',
    'tandem runs',
    'in tandem with',
    '{"next":"tandem run x"}',
    '[{"a":"tandem run x"}]',
    '[]',
  ])
    expect(shown(same)).toBe(same);
  expect(shown('[call 1: tandem gates list]')).toBe('[call 1: npx tandem gates list]');
  expect(toPasteable('tandem run x', 'tandem', names)).toBe('tandem run x');
});

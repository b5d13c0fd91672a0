/** A new scenario goes only where nothing is, whoever else is making one there. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { initCommand } from '../../../src/cli/serve/init.ts';
import { quietIo } from '../../support/project.ts';
import { scratch } from '../../support/scratch.ts';

test('of several at once one makes it, the others are told that it is there, and no half of one is left', async () => {
  const dir = await scratch();
  const titles = ['One', 'Two', 'Three'];
  const made = await Promise.allSettled(titles.map((title) => initCommand('desk', { title }, quietIo(dir))));
  const [winner = ''] = titles.filter((_, index) => made[index]?.status === 'fulfilled');
  const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const isThere = { code: 'usage', message: expect.stringMatching(/desk is there already; nothing was written/) };
  expect(refused).toEqual([expect.objectContaining(isThere), expect.objectContaining(isThere)]);
  expect(await readdir(join(dir, 'scenarios'))).toEqual(['desk']);
  expect(await readFile(join(dir, 'scenarios/desk/scenario.yaml'), 'utf8')).toContain(`  ${winner}\n`);
});

test('a name that is a device on Windows is refused: nobody could clone the project there', async () => {
  const dir = await scratch();
  await expect(initCommand('con', {}, quietIo(dir))).rejects.toThrow('it is a device on Windows');
  expect(await readdir(dir)).toEqual([]);
});

test('a project that git would commit whole is told what to leave out; an ignore file of a person stays', async () => {
  const [fresh, own] = [await scratch(), await scratch()];
  await writeFile(join(own, '.gitignore'), 'mine\n');
  for (const dir of [fresh, own]) await initCommand('desk', {}, quietIo(dir));
  expect(await readFile(join(fresh, '.gitignore'), 'utf8')).toContain(
    '\nscenarios/*/runs/\nscenarios/*/evaluations/\n',
  );
  expect(await readFile(join(own, '.gitignore'), 'utf8')).toBe('mine\n');
});

test('an agent that is there is named as its scenario sees it: a command with files of this folder, or an address', async () => {
  const dir = await scratch();
  await writeFile(join(dir, 'agent.py'), '');
  await initCommand('by-command', { agent: 'python3 agent.py --mode "two words"' }, quietIo(dir));
  await initCommand('by-address', { agent: 'http://127.0.0.1:8080/turn' }, quietIo(dir));
  const subjects = await Promise.all(
    ['by-command', 'by-address'].map(async (name) => {
      const text = await readFile(join(dir, 'scenarios', name, 'scenario.yaml'), 'utf8');
      return (parse(text) as { subject: unknown }).subject;
    }),
  );
  expect(subjects).toEqual([
    { kind: 'command', command: ['python3', '../../agent.py', '--mode', 'two words'] },
    { kind: 'http', url: 'http://127.0.0.1:8080/turn' },
  ]);
});

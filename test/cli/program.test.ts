/** The tree of commands: every command is found by its name, has examples, and its examples are command lines that it takes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { listNodes, toCommandNode } from '../../tools/command-tree.ts';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { buildProgram, COMMAND_NAMES } from '../../src/cli/program.ts';
import { wordsOfLine } from '../support/shell-words.ts';
import { fakeIo } from './fake-io.ts';
import { wholeProgram } from './whole-program.ts';

const nodes = listNodes(toCommandNode(await wholeProgram()));

test('a start finds the group of every command by its name', async () => {
  const program = await wholeProgram();
  expect(program.commands.map((command) => command.name()).toSorted()).toEqual(COMMAND_NAMES.toSorted());
  const one = await buildProgram(
    { io: fakeIo('.'), signal: new AbortController().signal, done: async () => undefined },
    { shown: (text) => text, wanted: 'label' },
  );
  expect(one.commands.map((command) => command.name())).toContain('label');
  expect(one.commands.length).toBeLessThan(program.commands.length);
});

test('every command that does something has examples, and every example is of a command', () => {
  const doing = nodes.filter(({ inner }) => inner.length === 0).map(({ path }) => path);
  expect(['', ...doing].toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
});

describe('its command takes the example', () => {
  test.each(Object.entries(EXAMPLES).flatMap(([path, lines]) => lines.map(([line]) => [line, path] as const)))(
    'tandem %s',
    async (line, path) => {
      const program = await wholeProgram();
      const called: string[] = [];
      const catchAll = (command: CommandUnknownOpts, at: string): void => {
        command.action(() => void called.push(at));
        for (const inner of command.commands) catchAll(inner, `${at} ${inner.name()}`.trim());
      };
      for (const command of program.commands) catchAll(command, command.name());
      await program.parseAsync(wordsOfLine(line), { from: 'user' });
      expect(called).toEqual([
        path === ''
          ? line
              .split(' ')
              .slice(0, line.startsWith('gates') ? 2 : 1)
              .join(' ')
          : path,
      ]);
    },
  );
});

test('the help of a command ends with its examples, as this shell can run them', async () => {
  const shown: string[] = [];
  const program = await wholeProgram((text) => (shown.push(text), ''));
  await expect(program.parseAsync(['gates', 'undo', '--help'], { from: 'user' })).rejects.toMatchObject({
    exitCode: 0,
  });
  expect(shown.join('')).toMatch(/Examples:\n {2}tandem gates undo 20261120 --comment "read the wrong file" {3}until/);
});

const runProgram = promisify(execFile);
const namesIn = (help: string): string[] => [...help.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = '']) => name);

test('--help shows the nine commands of a first week in their order and says where the rest is', async () => {
  const { stdout } = await runProgram(process.execPath, ['bin/tandem.js', '--help']);
  const commands = namesIn(stdout.slice(stdout.indexOf('Commands'), stdout.indexOf('Examples:')));
  expect(commands).toEqual(['init', 'validate', 'run', 'gates', 'resume', 'serve', 'evaluate', 'compare', 'doctor']);
  expect(stdout).toContain('--help --all lists the rest');
});

test('--help --all lists every command in its group, and both end with 0', async () => {
  const { stdout } = await runProgram(process.execPath, ['bin/tandem.js', '--help', '--all']);
  const listed = stdout.slice(stdout.indexOf('Runs:'), stdout.indexOf('Examples:'));
  expect(
    namesIn(listed)
      .filter((name) => name !== 'help')
      .toSorted(),
  ).toEqual(COMMAND_NAMES.toSorted());
  for (const group of ['Runs:', 'The human gate:', 'Evaluations:', 'Servers and setup:', 'Contexts and sessions:'])
    expect(listed).toContain(`\n${group}\n`.slice(group === 'Runs:' ? 1 : 0));
});

test('the help of one command is the same with and without --all', async () => {
  const [brief, whole] = await Promise.all(
    [[], ['--all']].map((more) => runProgram(process.execPath, ['bin/tandem.js', 'gates', '--help', ...more])),
  );
  expect(brief?.stdout).toContain('request-changes');
  expect(whole?.stdout).toBe(brief?.stdout);
});

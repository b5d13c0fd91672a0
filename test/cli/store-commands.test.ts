import { expect, test } from 'vitest';
import { allNodes, treeOf } from '../../src/cli/command-tree.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { refuseOnStore, WORKS } from '../../src/cli/store-commands.ts';
import { quietIo } from '../support/project.ts';

const env = { TANDEM_STORE: 'postgres://me:secret@db/tandem' };

test('a command that a store does not have is refused by its name, and without the password', () => {
  expect(() => refuseOnStore('sessions list', {}, env)).toThrow(
    /^tandem sessions list does not work .*postgres:\/\/db\/tandem/,
  );
  expect(() => refuseOnStore('label', {}, env)).toThrow(/^(?!.*secret)/);
  expect(() => refuseOnStore('sessions list', {}, {})).not.toThrow();
});

test('so is a flag that needs a run folder', () => {
  expect(() => refuseOnStore('run', { economy: true }, env)).toThrow(/tandem run --economy/);
  expect(() => refuseOnStore('resume', { discardLastAnswer: true }, env)).toThrow(/--discard-last-answer/);
  expect(() => refuseOnStore('run', { json: true }, env)).not.toThrow();
});

test('every command that is said to work is one', async () => {
  const call = { io: quietIo('/'), signal: new AbortController().signal, done: async () => undefined };
  const program = await buildProgram(call, { shown: (text) => text });
  const known = new Set(allNodes(treeOf(program)).map(({ path }) => path));
  expect([...WORKS].filter((path) => !known.has(path))).toEqual([]);
  for (const path of WORKS) expect(() => refuseOnStore(path, {}, env)).not.toThrow();
});

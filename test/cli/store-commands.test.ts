import { expect, test } from 'vitest';
import { listNodes, toCommandNode } from '../../tools/command-tree.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { refuseOnStore, REFUSED_COMMANDS } from '../../src/cli/store-commands.ts';
import { quietIo } from '../support/project.ts';

const env = { TANDEM_STORE: 'postgres://me:secret@db/tandem' };

test('a command that a store does not have is refused by its name, says what to do instead, and hides the password', () => {
  expect(() => refuseOnStore('runs unpack', env)).toThrow(
    /^(?!.*secret)tandem runs unpack does not work .*postgres:\/\/db\/tandem.*tandem copy/,
  );
  expect(() => refuseOnStore('runs unpack', {})).not.toThrow();
});

test('every command that is refused is one, and no other is', async () => {
  const call = { io: quietIo('/'), signal: new AbortController().signal, done: async () => undefined };
  const program = await buildProgram(call, { shown: (text) => text });
  const known = listNodes(toCommandNode(program)).map(({ path }) => path);
  expect(Object.keys(REFUSED_COMMANDS).filter((path) => !known.includes(path))).toEqual([]);
  for (const path of known)
    if (REFUSED_COMMANDS[path] === undefined) expect(() => refuseOnStore(path, env)).not.toThrow();
});

/** QuickJS as a process, as it runs behind bubblewrap, without the walls: the lines that it reads and writes. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ProcessSettings } from '../../../src/adapters/quickjs/answer-lines.ts';
import { createQuickjsSession, findEngineFile, PRELUDE } from '../../../src/adapters/quickjs/open-quickjs.ts';
import { startHost } from '../../../src/adapters/sandbox/host-process.ts';
import { MAX_CHARS } from '../../../src/adapters/sandbox/limits.ts';
import type { Sandbox } from '../../../src/ports/sandbox.ts';
import { sessionOn } from './session-on.ts';

const WORKER = fileURLToPath(import.meta.resolve('../../../src/adapters/quickjs/worker.ts'));
const SETTINGS: ProcessSettings = {
  maxChars: MAX_CHARS,
  memoryBytes: 64 * 1024 ** 2,
  engine: findEngineFile(),
  prelude: PRELUDE,
};

const bareProcess: Sandbox = {
  kind: 'bubblewrap',
  gaps: [],
  open: async (dir) =>
    createQuickjsSession(dir, () =>
      startHost({ file: process.execPath, args: ['--no-warnings', WORKER, JSON.stringify(SETTINGS)], cwd: dir }),
    ),
};

const { signal } = new AbortController();

test('a process answers one call, both answers of a checker, a large value that calls share, and a refusal', async () => {
  const text = `
    let calls = 0;
    export const count = () => (calls += 1);
    export const add = (world, number) => { world.list.push(number); return world.list.length; };
    export const fail = () => { throw new Error('no'); };`;
  const session = await sessionOn({ 'c.mjs': text }, bareProcess);
  const question = { module: 'checkers/c.mjs', args: [], timeoutMs: 10_000 };
  expect(await session.call({ ...question, name: 'count' }, signal)).toMatchObject({ ok: true, value: 1 });
  const modules = [question.module];
  expect(await session.askAll({ ...question, modules, name: 'count', times: 2 }, signal)).toMatchObject([
    [{ value: 1 }, { value: 1 }],
  ]);
  // Long enough to be sent once, and kept.
  const world = { list: [1], text: 'word '.repeat(20_000) };
  const add = { ...question, name: 'add', args: { args: [world, 7], shared: [{ at: ['0'], base: world }] } };
  for (let time = 0; time < 2; time += 1)
    expect(await session.call(add, signal)).toMatchObject({ ok: true, value: 2, args: [{ list: [1, 7] }, 7] });
  expect(await session.call({ ...question, name: 'fail' }, signal)).toMatchObject({ ok: false, kind: 'threw' });
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openNodePermission } from '../../../src/adapters/sandbox/open-sandbox.ts';
import { scratch } from '../../support/scratch.ts';

test('names what it cannot stop', async () => {
  const sandbox = await openNodePermission();
  expect(sandbox.kind).toBe('node-permission');
  expect(sandbox.gaps.join('; ')).toContain('signals to other processes are not stopped');
  const stopsNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
  expect(sandbox.gaps.join('; ').includes('network')).toBe(!stopsNetwork);
});

// All of them, and many more attacks: test/slow/walls.test.ts.
test('refuses by name what the permission model does not cover', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'tools'));
  const text = `export const sqlite = async () => new (await import('node:sqlite')).DatabaseSync('${join(dir, 'x.db')}');
export const hidden = () => process.getBuiltinModule('node:sqlite');
export const hash = async () => (await import('node:crypto')).createHash('md5').update('a').digest('hex').length;`;
  await writeFile(join(dir, 'tools/a.mjs'), text);
  const session = await (await openNodePermission()).open(dir);
  const call = (name: string) =>
    session.call({ module: 'tools/a.mjs', name, args: [], timeoutMs: 5000 }, new AbortController().signal);
  const [sqlite, hidden, hash] = [await call('sqlite'), await call('hidden'), await call('hash')];
  await session.close();
  expect(sqlite).toMatchObject({ ok: false, message: expect.stringContaining('node:sqlite is refused') });
  expect(hidden).toMatchObject({ ok: false, message: expect.stringContaining('process.getBuiltinModule is refused') });
  expect(hash).toMatchObject({ ok: true, value: 32 });
});

test('a process that gives one answer has the time of one, also where two are wanted', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'checkers'));
  await writeFile(join(dir, 'checkers/a.mjs'), 'export const check = () => { for (;;); };');
  const session = await (await openNodePermission()).open(dir);
  const inquiry = { modules: ['checkers/a.mjs'], name: 'check', args: [], times: 2, timeoutMs: 700 };
  const answers = await session.askAll(inquiry, new AbortController().signal);
  await session.close();
  expect(answers).toMatchObject([[{ ok: false, kind: 'timeout', message: 'no answer within 700 ms' }]]);
});

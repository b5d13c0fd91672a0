import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { scratch } from '../support/scratch.ts';

const { execPath } = process;
afterEach(() => {
  process.execPath = execPath;
});
/** No host process can be started: neither behind bubblewrap nor behind Node's permission model. */
const withoutHosts = (): void => void (process.execPath = `${execPath}-that-is-not-there`);

test('without any walls pure checkers of a real model still run, with no flag and no process', async () => {
  withoutHosts();
  const sandbox = await openConfined({});
  expect([sandbox.kind, sandbox.gaps]).toEqual(['quickjs', []]);
  const dir = await scratch();
  await mkdir(join(dir, 'checkers'));
  await writeFile(join(dir, 'checkers/c.mjs'), 'export const check = () => ({ pass: true });');
  const session = await sandbox.open(dir);
  const outcome = await session.call(
    { module: 'checkers/c.mjs', name: 'check', args: [], timeoutMs: 5000 },
    new AbortController().signal,
  );
  await session.close();
  expect(outcome).toMatchObject({ ok: true, value: { pass: true } });
});

test('what a person allows without walls is said: a bare process for what needs more than the language', async () => {
  withoutHosts();
  const sandbox = await openConfined({ allowUnsandboxed: true });
  expect(sandbox.kind).toBe('quickjs, and child-process for what needs more');
  expect(sandbox.gaps.join()).toContain('with your rights');
});

test('for a folder of components that need the language alone no other sandbox is looked for', async () => {
  withoutHosts();
  const folder = await scratch();
  await mkdir(join(folder, 'tools'));
  await writeFile(join(folder, 'tools/t.mjs'), 'export const run = () => ({});');
  const sandbox = await openConfined({ allowUnsandboxed: true, folder });
  expect([sandbox.kind, sandbox.gaps]).toEqual(['quickjs', []]);
});

test('a choice is taken or refused, never replaced', async () => {
  expect((await openConfined({ choice: 'quickjs' })).kind).toBe('quickjs');
  withoutHosts();
  await expect(openConfined({ choice: 'bubblewrap' })).rejects.toThrow();
});

import { delimiter } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openBareProcess, openSandbox } from '../../../src/adapters/sandbox/open-sandbox.ts';

const execPath = process.execPath;
afterEach(() => {
  process.execPath = execPath;
});

test('a sandbox is found on every machine that runs the harness', async () => {
  const sandbox = await openSandbox();
  expect(['bubblewrap', 'node-permission']).toContain(sandbox.kind);
});

test('where no walls can be built it refuses, unless the user accepts the risk, and then says so', async () => {
  process.execPath = `${execPath}-that-is-not-there`;
  await expect(openSandbox()).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  const bare = await openSandbox({ allowUnsandboxed: true });
  expect(bare.kind).toBe('child-process');
  expect(bare.gaps.join()).toContain('with your rights');
  expect(openBareProcess().kind).toBe(bare.kind);
});

test('programs are looked for in absolute folders only', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = ['.', 'node_modules/.bin', path].join(delimiter);
  const sandbox = await openSandbox();
  process.env['PATH'] = path;
  expect(sandbox.gaps.join()).not.toContain('your rights');
});

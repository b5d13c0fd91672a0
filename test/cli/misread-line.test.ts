/** A command line that nobody can read: words for a person, and with --json a value for a program. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { scratch } from '../support/scratch.ts';

async function tandem(...args: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const cwd = await scratch();
  return spawnSync(process.execPath, [resolve('bin/tandem.js'), ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

test.each([
  ['an unknown command', ['rnu', '--json'], "unknown command 'rnu'"],
  ['an unknown option', ['status', '--jsno', '--json'], "unknown option '--jsno'"],
  ['an argument that is missing', ['run', '--json'], "missing required argument 'scenario'"],
  ['a group without its command', ['runs', '--json'], 'unknown option'],
])('%s is a value on standard output', async (_title, args, message) => {
  const { status, stdout } = await tandem(...args);
  expect(status).toBe(2);
  const value = JSON.parse(stdout) as unknown;
  expect(value).toEqual({ error: 'usage', message: expect.stringContaining(message), exitCode: 2 });
});

test('without --json standard output is empty, and the way to the help of that command can be pasted', async () => {
  const { status, stdout, stderr } = await tandem('runs', 'prune', 'a-run');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/tandem(?:\.js)? runs prune --help says how it is written/);
  expect((await tandem('rnu')).stderr).toMatch(/tandem\.js --help --all lists all commands/);
});

test('an option that is gone says so', async () => {
  const { status, stderr } = await tandem('run', 'desk', '--economy');
  expect([status, stderr]).toEqual([2, expect.stringContaining('--economy is gone. Instead: calls are made live')]);
});

test('what is gone says what to type instead, for a person and for a program', async () => {
  const { status, stdout, stderr } = await tandem('sessions', 'resume', 'a-run', '--json');
  expect(status).toBe(2);
  expect(stderr).toMatch(/sessions resume is gone\. Instead: .*resume <run>/);
  expect(JSON.parse(stdout)).toMatchObject({
    error: 'usage',
    message: expect.stringContaining('is gone. Instead') as string,
  });
});

test('help that was asked for is no failure', async () => {
  const { status, stdout } = await tandem('runs', '--help', '--json');
  expect([status, stdout.includes('"error"')]).toEqual([0, false]);
});

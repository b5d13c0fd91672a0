import { cp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { verifyCommand } from '../../src/commands/verify-components.ts';
import { scratch } from '../support/scratch.ts';
import { fakeIo } from './fake-io.ts';

const SHIPPED = resolve('scenarios/refund-desk/simulation/files');
const { signal } = new AbortController();

async function place(io: { cwd: string }): Promise<void> {
  await cp(join(SHIPPED, 'i1'), join(io.cwd, 'run/execution_outputs/iteration_1'), { recursive: true });
  await cp(join(SHIPPED, 'r1'), join(io.cwd, 'run/design/r1'), { recursive: true });
}

test('finds the design of its run, prints a table, and exit code 1 says that something is not proved', async () => {
  const io = fakeIo(await scratch());
  await place(io);
  expect(
    await verifyCommand('run/execution_outputs/iteration_1', { samples: '0', allowUnsandboxed: true }, io, signal),
  ).toBe(1);
  expect(io.lines[0]).toBe('1 problem:');
  expect(io.lines[1]).toContain('layer 3 checker-cannot-fail paid-back-as-paid');
  expect(io.lines.some((line) => /^return-in-time +yes +yes +yes +yes$/.test(line))).toBe(true);
  expect(io.lines.some((line) => /^R1: \d+ samples; identity-first$/.test(line))).toBe(true);
});

test('without a design, or on a folder of another kind, one sentence says what to do', async () => {
  const io = fakeIo(await scratch());
  await place(io);
  await rm(join(io.cwd, 'run/design'), { recursive: true });
  const verify = (dir: string, more = {}) =>
    verifyCommand(dir, { samples: '0', allowUnsandboxed: true, ...more }, io, signal);
  await expect(verify('run/execution_outputs/iteration_1')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('--design'),
  });
  await expect(verify('run')).rejects.toMatchObject({ code: 'usage' });
  await expect(verify('run/execution_outputs/iteration_1', { samples: 'many' })).rejects.toMatchObject({
    code: 'usage',
  });
  await expect(verify('run/execution_outputs/iteration_1', { design: 'nowhere' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

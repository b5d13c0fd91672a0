import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { verifyComponentsCommand } from '../../../src/cli/evaluate/verify-components.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';

const SHIPPED = resolve('scenarios/refund-desk/simulation/files');
const { signal } = new AbortController();

/** Fewer samples where they do not matter, because they are what takes long. */
async function place(io: { cwd: string }, most = 5): Promise<void> {
  const iteration = join(io.cwd, 'run/execution_outputs/iteration_1');
  await cp(join(SHIPPED, 'i1'), iteration, { recursive: true });
  const samples = (await readdir(join(iteration, 'samples'))).filter((name) => name.endsWith('.json'));
  for (const name of samples.slice(most)) await rm(join(iteration, 'samples', name));
  await cp(join(SHIPPED, 'r1'), join(io.cwd, 'run/design/r1'), { recursive: true });
}

test('finds the design of its run, prints a table, and exit code 1 says that something is not proved', async () => {
  const io = fakeIo(await scratch());
  await place(io, Infinity);
  expect(
    await verifyComponentsCommand(
      'run/execution_outputs/iteration_1',
      { samples: '0', seconds: '0', allowUnsandboxed: true },
      { io, signal },
    ),
  ).toBe(1);
  expect(io.lines[0]).toBe('1 problem:');
  expect(io.lines[1]).toContain('layer 3 checker-cannot-fail place-said');
  expect(io.lines.some((line) => /^return-in-time +yes +yes +yes +yes$/.test(line))).toBe(true);
  expect(io.lines.some((line) => /^R12: \d+ samples; judged by .*\(record-true\)$/.test(line))).toBe(true);
});

test('what one broken tool does to many samples is told twice and counted, in full with --json', async () => {
  const io = fakeIo(await scratch());
  await place(io);
  const tool = join(io.cwd, 'run/execution_outputs/iteration_1/tools/log_case.mjs');
  const text = await readFile(tool, 'utf8');
  await writeFile(tool, text.replace('run(input, world) {', "run(input, world) {\n  throw 'no case';"));
  // The run itself is named: its last components are taken.
  const options = { samples: '0', seconds: '0', allowUnsandboxed: true };
  expect(await verifyComponentsCommand('run', options, { io, signal })).toBe(1);
  const about = io.lines.filter((line) => line.startsWith('  layer 2 tool-failed log_case'));
  expect(about).toHaveLength(3);
  expect(about[0]).toContain('tools/log_case.mjs: example 0: The tool failed: no case');
  expect(about[2]).toMatch(/: … and \d\d more of this kind; --json lists them all$/);
  expect(io.errors[0]).toContain('run/execution_outputs/iteration_1');
});

test('a scenario by its name: the last components of its newest run', async () => {
  const io = fakeIo(await scratch());
  await place(io, 1);
  await cp(join(io.cwd, 'run'), join(io.cwd, 'scenarios/desk/runs/r1'), { recursive: true });
  const options = { samples: '0', seconds: '0', allowUnsandboxed: true };
  expect(await verifyComponentsCommand('desk', options, { io, signal })).toBe(1);
  expect(io.errors[0]).toContain('scenarios/desk/runs/r1/execution_outputs/iteration_1');
});

test('without a design, or on a folder of another kind, one sentence says what to do', async () => {
  const io = fakeIo(await scratch());
  await place(io);
  await rm(join(io.cwd, 'run/design'), { recursive: true });
  const verify = (dir: string, more = {}) =>
    verifyComponentsCommand(dir, { samples: '0', seconds: '0', allowUnsandboxed: true, ...more }, { io, signal });
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

test('a scenario.yaml around the components, whatever is in it, does not cost the proof', async () => {
  const io = fakeIo(await scratch());
  await place(io, 1);
  await writeFile(join(io.cwd, 'run/scenario.yaml'), 'a stray file');
  const options = { samples: '0', seconds: '0', allowUnsandboxed: true };
  expect(await verifyComponentsCommand('run', options, { io, signal })).toBe(1);
  expect(io.lines[0]).toMatch(/^\d+ problems:$/);
});

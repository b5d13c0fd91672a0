/** What a machine lacks for a run is known before anything is paid there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { missingFor } from '../../../src/app/worker/missing-for-run.ts';
import { HarnessError } from '../../../src/errors.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import type { Sandbox } from '../../../src/ports/sandbox.ts';
import { scratch } from '../../support/scratch.ts';

let dir: string;
beforeEach(async () => {
  dir = await scratch();
  await writeFile(join(dir, 'scenario.yaml'), 'version: 1\n');
});

const run = () => ({ id: 'a', scenario: 'desk', dir: join(dir, 'runs/a') }) as RunFolder;
const of = (kind: string, mb = 5_000) => ({ sandbox: async () => ({ kind }) as Sandbox, freeMb: async () => mb });
async function put(path: string, text = ''): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

test.each([
  ['the scenario', 'tools/toolkit/shop.py'],
  ['an iteration', 'runs/a/execution_outputs/iteration_1/tools/find.py'],
  ['a step that another worker began', 'runs/a/wip/execute.i1@w-1/out/checkers/read.py'],
])('Python in %s is left to a worker that can confine it', async (_, path) => {
  await put(path);
  expect(await missingFor(run(), 'execute', of('quickjs'))).toMatch(/is Python.*install bubblewrap/);
  expect(await missingFor(run(), 'init', of('quickjs'))).toBeUndefined();
});

test('JavaScript that needs more than the language is too; what needs the language alone is not', async () => {
  await put('runs/a/wip/execute.i1@w-1/out/tools/pure.mjs', 'export const run = (input) => input;\n');
  expect(await missingFor(run(), 'execute', of('quickjs'))).toBeUndefined();
  await put('runs/a/wip/execute.i1@w-1/out/tools/more.mjs', "import 'node:crypto';\n");
  expect(await missingFor(run(), 'execute', of('quickjs'))).toContain("more.mjs:1: import 'node:crypto'");
  expect(await missingFor(run(), 'execute', of('bubblewrap'))).toBeUndefined();
});

test("another run's Python says nothing of this one", async () => {
  await put('runs/b/execution_outputs/iteration_1/tools/find.py');
  expect(await missingFor(run(), 'execute', of('quickjs'))).toBeUndefined();
});

test('a disk that is nearly full, and a sandbox that does not start, are lacks of their own', async () => {
  expect(await missingFor(run(), 'init', of('bubblewrap', 12))).toMatch(/only 12 MB.*make room/);
  const none = { ...of(''), sandbox: () => Promise.reject(new HarnessError('sandbox_unavailable', 'bwrap is gone')) };
  expect(await missingFor(run(), 'execute', none)).toBe('bwrap is gone');
});

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTrace } from '../../src/evaluation/read-trace.ts';
import { openTrace, tracePath } from '../../src/evaluation/trace-file.ts';
import { scratch } from '../support/scratch.ts';

const says = (step: number, text: string) => ({ type: 'says' as const, step, text });
const path = tracePath('a-sample', 2);

test('a trace is on the disk in its order when it is closed, and begins anew what an earlier attempt left', async () => {
  const dir = await scratch();
  for (const first of ['old', 'new']) {
    const trace = await openTrace(dir, path);
    await trace.write(says(1, first));
    await trace.write(says(2, 'ä'));
    await trace.close();
    expect(trace.lines).toEqual([says(1, first), says(2, 'ä')]);
  }
  expect(await readTrace(dir, path)).toEqual([says(1, 'new'), says(2, 'ä')]);
});

test('a long trace grows on the disk while it is written, and is not kept back until its end', async () => {
  const dir = await scratch();
  const trace = await openTrace(dir, path);
  const lines = Array.from({ length: 8 }, (_, index) => says(index + 1, 'x'.repeat(30_000)));
  for (const line of lines) await trace.write(line);
  expect(readFileSync(join(dir, path)).length).toBeGreaterThan(150_000);
  await trace.close();
  expect(await readTrace(dir, path)).toEqual(lines);
});

test('nothing is written where another worker has taken the folder, and the folder is not made again', async () => {
  const home = await scratch();
  const dir = join(home, 'mine', 'out');
  await mkdir(join(home, 'mine'));
  const trace = await openTrace(dir, path);
  await trace.write(says(1, 'x'));
  await rename(join(home, 'mine'), join(home, 'taken'));
  await expect(trace.close()).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(dir)).toBe(false);
});

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTrace } from '../../../src/evaluation/trial/read-trace.ts';
import { openTrace, tracePath } from '../../../src/evaluation/trial/trace-file.ts';
import { scratch } from '../../support/scratch.ts';

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

test('a line that is longer than what may wait stands whole on a line of its own, among short ones', async () => {
  const dir = await scratch();
  const trace = await openTrace(dir, path);
  const texts = ['short', 'ä'.repeat(100_000), 'y'.repeat(200_000), 'short again', 'z'.repeat(100_000)];
  const lines = texts.map((text, index) => says(index + 1, text));
  for (const line of lines) await trace.write(line);
  await trace.close();
  const written = readFileSync(join(dir, path), 'utf8');
  expect(written).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
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

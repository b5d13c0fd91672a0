import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendLabel, mergeLabels, readLabels } from '../../src/run-folder/label-journal.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch } from '../support/scratch.ts';

const label = (reason: string) => ({
  ...{ at: '2026-11-23T00:00:00.000Z', by: 'user:ada', grader: 'g', question: 'q', conversation: 'c', text: '{}' },
  ...{ run: 'r', iteration: 1, sample: 's', trial: 1, verdict: 'pass' as const, reason },
});

test('labels follow one another, also when two people label at once, and none is lost', async () => {
  const dir = openSharedFiles(await scratch());
  expect(await readLabels(dir)).toEqual([]);
  await Promise.all(Array.from({ length: 8 }, (_, index) => appendLabel(dir, label(`because ${index}`))));
  const labels = await readLabels(dir);
  expect(labels.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(new Set(labels.map(({ reason }) => reason)).size).toBe(8);
});

test('a label that was changed, or is missing, is named', async () => {
  const dir = await scratch();
  const files = openSharedFiles(dir);
  for (const reason of ['one', 'two', 'three']) await appendLabel(files, label(reason));
  const second = join(dir, 'labels/000001.json');
  const text = await readFile(second, 'utf8');
  await writeFile(second, text.replace('"pass"', '"fail"'));
  await expect(readLabels(files)).rejects.toThrow('labels/000001.json was changed');
  await rm(second);
  await expect(readLabels(files)).rejects.toThrow('labels/000001.json is missing');
});

test('labels of another place follow those that are there, each once, whoever merges at the same time', async () => {
  const [from, into] = [openSharedFiles(await scratch()), openSharedFiles(await scratch())];
  for (const reason of ['one', 'two']) await appendLabel(from, label(reason));
  await appendLabel(into, label('own'));
  await appendLabel(into, label('one'));
  const added = await Promise.all([mergeLabels(from, into), mergeLabels(from, into)]);
  expect(added.reduce((sum, one) => sum + one, 0)).toBe(1);
  expect((await readLabels(into)).map(({ reason }) => reason)).toEqual(['own', 'one', 'two']);
  expect(await mergeLabels(from, into)).toBe(0);
});

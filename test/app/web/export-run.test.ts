/** The results of a run as files: every link leads to a file that is there, nothing leads out, nothing is overwritten. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evaluationIn } from '../../../src/app/web/open-evaluations.ts';
import { exportRun } from '../../../src/app/web/export-run.ts';
import { failing, flaky, sample } from '../../report/makers.ts';
import { evaluated } from '../../web/evaluated.ts';
import { useDesk } from '../../web/use-desk.ts';
import { comparedSubjects } from '../../web/subjects.ts';

const desk = useDesk();

async function exported(out: string) {
  const run = await evaluated(desk, 'run-1', [
    [sample('asked'), flaky],
    [failing('asked', 2, {}), flaky, sample('fresh')],
  ]);
  await evaluated(desk, 'secret', [[sample('other')]]);
  const read = desk.read;
  return exportRun({ what: run, read, project: desk.root, out }, () => undefined);
}

test('is one folder in which every link leads somewhere, and that knows no other run', async () => {
  const out = join(desk.root, 'pages');
  const { pages } = await exported(out);
  const names = await readdir(out);
  expect(names).toHaveLength(pages + 1);
  expect(names).toEqual(
    expect.arrayContaining(['index.html', 'results.html', 'style.css', 'results-show-failing.html']),
  );
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  for (const name of names.filter((one) => one.endsWith('.html'))) {
    const text = await readFile(join(out, name), 'utf8');
    for (const [, address = ''] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (address.startsWith('#') || address.startsWith('data:')) continue;
      expect(names, `${name}: ${address}`).toContain(address.split('#')[0]);
    }
    expect(text, name).not.toMatch(/<script|<form|secret|\/tmp\//);
  }
  const index = await readFile(join(out, 'results.html'), 'utf8');
  expect(index).toMatch(/class="bad"[\s\S]*href="iterations-2-samples-asked\.html"/);
  expect(names).toContain('iterations-2-samples-wavering-trials-2.html');
  expect(names).toContain('iterations-1-files-checkers-identity.mjs.html');
});

test('of several subjects, the table and every trial are there', async () => {
  const subjects = { cheap: [failing('asked', 4, {}), flaky], dear: [sample('asked'), flaky] };
  const what = await evaluationIn(await comparedSubjects(desk, subjects));
  if (what === undefined) throw new Error('there is no evaluation');
  const out = join(desk.root, 'pages');
  const read = desk.read;
  await exportRun({ what, read, project: desk.root, out }, () => undefined);
  const names = await readdir(out);
  expect(names).toEqual(expect.arrayContaining(['index.html', 'results-trials-1.html', 'samples-asked.html']));
  const index = await readFile(join(out, 'index.html'), 'utf8');
  expect(index).toMatch(/class="bad"[\s\S]*href="iterations-1-samples-asked\.html"/);
});

test('of one subject, whose results are in the folder itself, every page and file is there', async () => {
  const compared = await comparedSubjects(desk, { cheap: [failing('asked', 4, {}), flaky] });
  const dir = join(desk.root, 'scenarios/refund-desk/evaluations/1');
  await cp(join(compared, 'cheap'), dir, { recursive: true });
  const what = await evaluationIn(dir);
  if (what === undefined) throw new Error('there is no evaluation');
  const out = join(desk.root, 'pages');
  await exportRun({ what, read: desk.read, project: desk.root, out }, () => undefined);
  expect(await readdir(out)).toEqual(
    expect.arrayContaining([
      'index.html',
      'iterations-1-samples-asked-trials-1.html',
      'iterations-1-files-samples-asked.json.html',
    ]),
  );
});

test('a folder that holds something is not touched, and a failure leaves nothing behind', async () => {
  const out = join(desk.root, 'pages');
  await mkdir(out);
  await writeFile(join(out, 'mine.txt'), 'mine');
  await expect(exported(out)).rejects.toThrow('is not empty');
  expect(await readdir(out)).toEqual(['mine.txt']);
  const run = await desk.store.open('run-1');
  await writeFile(join(run.dir, 'execution_outputs/iteration_1/traces/asked.1.jsonl'), '{"type":"start"');
  const read = desk.read;
  const broken = exportRun({ what: run, read, project: desk.root, out: join(desk.root, 'broken') }, () => undefined);
  await expect(broken).rejects.toThrow('asked.1.jsonl is not whole JSON');
  expect((await readdir(desk.root)).filter((name) => name.startsWith('broken'))).toEqual([]);
});

/** Results without a run: several subjects on the same samples, as a table, side by side, and taken apart by trials. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { sha256 } from '../../src/disk/sha256.ts';
import { listResultNotes } from '../../src/report/run/run-outcome.ts';
import { failing, flaky, results, sample } from '../report/makers.ts';
import { signedIn, type Client } from './client.ts';
import { useDesk } from './use-desk.ts';
import { evaluated } from './evaluated.ts';
import { comparedSubjects } from './subjects.ts';

const AT = '/runs/refund-desk~comparison-1';
const asked = failing('asked', 4, {}, { cause: '4b', covers: ['R2'] });

const desk = useDesk();
let client: Client;
beforeEach(async () => {
  client = await signedIn(desk.review());
});

const rows = (text: string) =>
  [...text.matchAll(/<tr data-row[\s\S]*?<\/tr>/g)].map(([row]) => /samples\/([a-z-]+)["?]/.exec(row)?.[1]);

test('the list of runs leads to a table of samples by subjects, written by an earlier version', async () => {
  await comparedSubjects(desk, {
    cheap: [asked, flaky, sample('fine')],
    dear: [sample('asked'), flaky, sample('fine')],
  });
  expect((await client.get('/runs')).text).toMatch(
    /href="\/runs\/refund-desk~comparison-1\/results">refund-desk~comparison-1<[\s\S]*cheap 1 of 3, dear 2 of 3/,
  );
  const { text } = await client.get(`${AT}/results`);
  expect(text).toContain('refund-desk, 2 subjects');
  expect(text).toMatch(/cheap\s*<br \/>[\s\S]*dear\s*<br \/>/);
  // The failing cell is the one that a key opens, whichever subject it is of.
  expect(text).toMatch(
    new RegExp(`class="bad" data-name="[^"]*">\\s*<a\\s+class="proof"\\s+href="${AT}/iterations/1/samples/asked"`),
  );
  expect(text).not.toContain('data-live="/runs');
  expect(text).not.toContain('>The run<');
  expect(rows(text)).toEqual(['asked', 'wavering', 'fine']);
});

test('the page of an evaluation has every finding that its report has', async () => {
  const made = results([sample('fine')], { sandboxGaps: ['no limit of memory'], interval: [0.3, 1] });
  const dir = join(desk.root, 'scenarios/refund-desk/evaluations/1');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'results.json'), JSON.stringify(made));
  const { text } = await client.get('/runs/refund-desk~1/results');
  const notes = [...text.matchAll(/class="note [\s\S]*?<strong>([^<]*)<\/strong>/g)].map(([, title]) => title);
  expect(notes).toEqual(listResultNotes(made).map(({ title }) => title));
  expect(notes).toEqual(['SIMULATED', 'SMALL SAMPLE', 'NOT FULLY CONFINED']);
});

test('evaluations are rows of the list of runs: filtered, sorted by rate, and compared with a run', async () => {
  await evaluated(desk, 'run-1', [[sample('fine'), asked]]);
  const dir = join(desk.root, 'scenarios/refund-desk/evaluations/1');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'results.json'), JSON.stringify(results([sample('fine'), sample('asked')])));
  const { text } = await client.get('/runs?sort=rate');
  expect(text).toContain('<h1>2 runs and evaluations</h1>');
  expect(text.indexOf('refund-desk~1/results')).toBeLessThan(text.indexOf('href="/runs/run-1"'));
  expect(text).toMatch(/name="run" value="refund-desk~1"[\s\S]*?100\u00A0%<\/td>\s*<td[^>]*>\$/);
  // The first sentence of its page is the verdict, and nothing on it speaks of other columns.
  const page = (await client.get('/runs/refund-desk~1/results')).text.replaceAll(/\s+/g, ' ');
  expect(page).toMatch(/2 of 2 samples passed, 100 %\. Target [\d.]+ %: met\. <span class="soft">\$/);
  expect(page).not.toMatch(/not there|, result/);
  const only = (await client.get('/runs?status=evaluated')).text;
  expect(only).toContain('<h1>1 of 2 runs and evaluations</h1>');
  const compared = await client.get('/compare?run=run-1&run=refund-desk~1');
  expect([compared.status, compared.text.includes('/runs/refund-desk~1/results')]).toEqual([200, true]);
});

test('filters look at every subject: failing by any, differing between two', async () => {
  await comparedSubjects(desk, {
    cheap: [asked, flaky, sample('fine')],
    dear: [sample('asked'), flaky, sample('fine')],
  });
  const left = async (query: string) => rows((await client.get(`${AT}/results${query}`)).text);
  expect(await left('?layer=4b')).toEqual(['asked']);
  expect(await left('?show=changed')).toEqual(['asked']);
  expect(await left('?show=flaky')).toEqual(['wavering']);
  expect((await client.get(`${AT}/results`)).text).toContain('>differing<');
});

test('a sample and its trial have pages, and nobody is sent to a run', async () => {
  await comparedSubjects(desk, { cheap: [asked], dear: [sample('asked')] });
  const one = await client.get(`${AT}/iterations/2/samples/asked`);
  expect(one.text).toContain('Sample · subject dear');
  expect(one.text).toContain('cheap fail');
  expect(one.text).not.toMatch(/The run<|Tell Execute/);
  expect((await client.get(`${AT}/iterations/1/samples/asked/trials/1`)).text).toContain('Trial 1 · subject cheap');
  expect((await client.get(`${AT}/iterations/1/files/samples/asked.json`)).status).toBe(200);
  for (const path of [
    '/iterations/3/samples/asked',
    '/samples/asked',
    '/iterations/1/files/../comparison.json',
    '',
    '/live',
  ])
    expect((await client.get(`${AT}${path}`)).status, path).toBe(404);
});

test('of a run or a subject that plays samples several times, the trials are columns', async () => {
  await comparedSubjects(desk, { cheap: [asked, flaky], dear: [sample('asked')] });
  await evaluated(desk, 'run-1', [[sample('fine')], [flaky, sample('fine')]]);
  for (const at of [`${AT}/results?trials=1`, '/runs/run-1/results?trials=2']) {
    const { text } = await client.get(at);
    expect(text).toMatch(/trial 1<[\s\S]*trial 2</);
    const cells = /wavering\?[\s\S]*?<\/tr>/.exec(text)?.[0] ?? '';
    expect(cells).toMatch(
      /class="(?:good|bad)" data-name="trial 1">[\s\S]*trials\/1"[\s\S]*class="(?:good|bad)" data-name="trial 2">[\s\S]*trials\/2"/,
    );
    expect(text).not.toContain('>changed<');
  }
  const whole = (await client.get('/runs/run-1/results')).text;
  expect(whole).toContain('href="/runs/run-1/results?trials=2"');
  // Only where there are several.
  expect(whole).not.toContain('trials=1"');
  expect((await client.get('/runs/run-1/results?trials=1')).text).toMatch(/i1\s*<br \/>/);
});

test('one subject is one column, and a folder that is none is not listed', async () => {
  const dir = await comparedSubjects(desk, { cheap: [asked], dear: [asked] });
  await writeFile(join(dir, 'comparison.json'), '{"version":1');
  expect((await client.get('/runs')).text).not.toContain('comparison-1');
  expect((await client.get(`${AT}/results`)).status).toBe(404);
  await writeFile(join(dir, 'results.json'), JSON.stringify(results([asked])));
  await writeFile(join(dir, '../comparison-1/comparison.json'), '');
  expect((await client.get(`${AT}/results`)).status).toBe(404);
});

test('who is named for another scenario finds no evaluation', async () => {
  await comparedSubjects(desk, { cheap: [asked], dear: [asked] });
  const reviewers = [{ name: 'cleo', scenarios: ['clinic'], token_sha256: sha256('cleo') }];
  const cleo = await signedIn(desk.review({ reviewers: { reviewers } }), 'cleo');
  expect((await cleo.get('/runs')).text).not.toContain('comparison-1');
  for (const path of ['/results', '/samples/asked', '/iterations/1/samples/asked/trials/1'])
    expect((await cleo.get(`${AT}${path}`)).status).toBe(404);
});

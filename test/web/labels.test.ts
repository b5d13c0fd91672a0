/** Labels of people on the page: blind first, written once, and a disagreement becomes words for the next answer at the gate. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { readLabels } from '../../src/run-folder/label-journal.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { sha256 } from '../../src/disk/sha256.ts';
import { TRUTHFUL } from '../evaluation/graders/judges.ts';
import { judgedLamps } from '../support/judged-lamps.ts';
import { signedIn, type Client } from './client.ts';
import { openDesk, type Desk } from './desk.ts';

const SAMPLE = '/runs/run-1/iterations/1/samples/turn-on';
const LABEL = '/runs/run-1/iterations/1/labels/truthful/turn-on.1';
const SAID = 'The judge thinks pass.';

let judged: string | undefined;
let desk: Desk;
let client: Client;
/** Played once: what the tests change is a copy. */
async function judgedOnce(): Promise<string> {
  const { io, folder } = await judgedLamps();
  const kept = await mkdtemp(join(tmpdir(), 'tandem-judged-'));
  await cp(join(io.cwd, folder), kept, { recursive: true });
  return kept;
}
beforeEach(async () => {
  judged ??= await judgedOnce();
  desk = await openDesk();
  const run = await desk.waiting('run-1', [{}, {}]);
  await rm(join(run.dir, 'execution_outputs/iteration_1'), { recursive: true });
  await cp(judged, join(run.dir, 'execution_outputs/iteration_1'), { recursive: true });
  await writeFile(join(desk.root, 'scenarios/refund-desk/scenario.yaml'), '');
  client = await signedIn(desk.review());
  return () => desk.remove();
  // The first one plays and judges, which takes long on a busy machine.
}, 60_000);
afterAll(() => rm(judged ?? '', { recursive: true, force: true }));

test('ten answers of one person at the same moment are one label', async () => {
  const [once, ...others] = await Promise.all(
    Array.from({ length: 10 }, (_, index) => client.send(LABEL, { verdict: 'fail', reason: `reason ${index}` })),
  );
  expect([once, ...others].map((one) => one?.status)).toEqual(Array.from({ length: 10 }, () => 303));
  expect(await readLabels(openSharedFiles(join(desk.root, 'scenarios/refund-desk')))).toHaveLength(1);
});

test('what a grader said is hidden on every page until its question is answered, and shown afterwards', async () => {
  const pages = [SAMPLE, `${SAMPLE}/trials/1`, LABEL, '/runs/run-1/labels'];
  for (const path of pages) {
    const { status, text } = await client.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text, path).not.toContain(SAID);
  }
  expect((await client.get(SAMPLE)).text).toContain(`href="${LABEL}"`);
  expect((await client.get('/runs/run-1/results')).text).toContain('href="/runs/run-1/labels"');
  const question = (await client.get(LABEL)).text;
  for (const part of [TRUTHFUL.question, TRUTHFUL.pass_when, 'It is dark here.']) expect(question).toContain(part);

  expect((await client.send(LABEL, { verdict: 'fail', reason: 'Which lamp?' })).status).toBe(303);
  const labels = await readLabels(openSharedFiles(join(desk.root, 'scenarios/refund-desk')));
  expect(labels).toMatchObject([
    { by: 'user:ada', grader: 'truthful', sample: 'turn-on', verdict: 'fail', reason: 'Which lamp?', run: 'run-1' },
  ]);
  const after = (await client.get(LABEL)).text;
  expect(after).toContain('You and the grader disagree');
  expect(after).toContain(SAID);
  expect((await client.get(SAMPLE)).text).toContain(SAID);
  expect((await client.get('/runs/run-1/labels')).text).toContain('You have answered everything');

  // Nobody answers again after the verdict was shown.
  await client.send(LABEL, { verdict: 'pass', reason: 'It was right.', form: formIn(after) }, { from: SAMPLE });
  expect(await readLabels(openSharedFiles(join(desk.root, 'scenarios/refund-desk')))).toHaveLength(1);
});

const formIn = (text: string) => /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';

test('a disagreement goes into the notes of the gate, and approves nothing', async () => {
  await client.send(LABEL, { verdict: 'fail', reason: 'Which lamp?' });
  const path = `${SAMPLE}/words`;
  const { text } = await client.get(`${path}?trial=1&grader=truthful`);
  const words = 'The grader truthful is wrong here. I say fail: Which lamp?';
  expect(text).toContain(words);
  const kept = await client.send(path, { text: words, trial: '1' });
  expect(kept.text).toContain('href="/runs/run-1/gates/HITL-1.r2#notes"');
  const gate = (await client.get('/runs/run-1/gates/HITL-1.r2')).text;
  expect(gate).toContain(
    `On sample turn-on, iteration 1 (execution_outputs/iteration_1/traces/turn-on.1.jsonl): ${words}`,
  );
  const run = await desk.store.open('run-1');
  expect((await desk.state(run)).status).toBe('awaiting_approval');

  // After the answer there is no gate to send it with: it waits for the next one.
  await client.send('/runs/run-1/gates/HITL-1.r2', { decision: 'request_changes', comment: 'Again.' });
  expect((await client.send(path, { text: 'And this.', trial: '1' })).text).toContain('It waits for the next gate');
  await desk.again(run, {});
  const next = (await client.get('/runs/run-1/gates/HITL-1.r3')).text;
  expect(next).toMatch(/Written before, never sent[\s\S]*And this\./);
  expect((await desk.state(run)).decisions).toHaveLength(2);
});

test.each([
  ['no verdict', { reason: 'x' }, 422, 'Choose pass or fail.'],
  ['no reason', { verdict: 'pass', reason: ' ' }, 422, 'Say why'],
  ['too long a reason', { verdict: 'pass', reason: 'x'.repeat(2001) }, 422, 'Say why'],
  ['a form of another page', { verdict: 'pass', reason: 'x', form: 'x.y' }, 403, 'was not made by this page'],
])('%s writes no label', async (_name, fields, status, text) => {
  const page = await client.send(LABEL, fields);
  expect(page.status).toBe(status);
  expect(page.text).toContain(text);
  expect(await readLabels(openSharedFiles(join(desk.root, 'scenarios/refund-desk')))).toEqual([]);
});

test('who may only read sees the verdicts and cannot label', async () => {
  const reviewers = [{ name: 'ada' }, { name: 'vera', role: 'viewer', token_sha256: sha256('vera') }];
  const viewer = await signedIn(desk.review({ reviewers: { reviewers } }), 'vera');
  expect((await viewer.get(SAMPLE)).text).toContain(SAID);
  expect((await viewer.get(LABEL)).text).toContain('You may read this, and not label it.');
  expect((await viewer.send(LABEL, { verdict: 'pass', reason: 'x' })).status).toBe(403);
  expect((await viewer.send(`${SAMPLE}/words`, { text: 'x' })).status).toBe(403);
  expect(await readLabels(openSharedFiles(join(desk.root, 'scenarios/refund-desk')))).toEqual([]);
});

test.each([
  '/runs/run-1/iterations/1/labels/as-asked/turn-on.1',
  '/runs/run-1/iterations/1/labels/truthful/turn-on.9',
  '/runs/run-1/iterations/2/labels/truthful/turn-on.1',
  '/runs/run-1/iterations/1/labels/constructor/turn-on.1',
])('%s is not here', async (path) => {
  expect((await client.get(path)).status).toBe(404);
});

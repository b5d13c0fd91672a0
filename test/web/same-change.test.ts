/** Two changes that are too large to be compared line by line are never taken for the same one, on any face. */
import { expect, test } from 'vitest';
import { approveBatch, listBatchGates } from '../../src/cli/batch/gates.ts';
import { quietIo } from '../support/project.ts';
import { stranger } from './client.ts';
import { TOKEN } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

/** Old and new lines together are more than are shown one by one. */
const LINES = 700;
const story = (word: string, end: string): string =>
  [...Array.from({ length: LINES - 1 }, (_, index) => `${word} line ${index} of the story`), end].join('\n');
const OLD = story('old', 'The desk closes at six.');
const HARMLESS = story('new', 'The desk closes at seven.');
const HARMFUL = story('new', 'REFUND EVERYTHING WITHOUT ASKING');

async function approveOnPage(path: string, also: string): Promise<string | null> {
  const client = stranger(desk.review());
  await client.send('/sign-in', { token: TOKEN });
  const { headers } = await client.send(path, { decision: 'approve', also });
  return headers.get('location');
}

async function waiting(): Promise<{ digest: string; other: string }> {
  const harmless = await desk.waiting('run-1', [{ narrative: OLD }, { narrative: HARMLESS }]);
  const harmful = await desk.waiting('run-2', [{ narrative: OLD }, { narrative: HARMFUL }]);
  await desk.batch('b', ['run-1', 'run-2']);
  const [one, two] = [await desk.state(harmless), await desk.state(harmful)];
  if (one.status !== 'awaiting_approval' || two.status !== 'awaiting_approval') throw new Error('no gate waits');
  return { digest: one.gate.digest, other: two.gate.digest };
}

const statuses = async () =>
  Promise.all(['run-1', 'run-2'].map(async (id) => (await desk.state(await desk.store.open(id))).status));

test('the page neither groups them nor lets one answer cover both', async () => {
  const { other } = await waiting();
  const client = stranger(desk.review());
  await client.send('/sign-in', { token: TOKEN });
  expect((await client.get('/')).text.match(/class="item"/g)).toHaveLength(2);
  expect((await client.get('/batches/b')).text).not.toContain('also=all');
  const path = '/runs/run-1/gates/HITL-1.r2';
  expect((await client.get(`${path}?also=all`)).text).not.toContain('name="also"');
  expect(await approveOnPage(path, `run-2.HITL-1.r2 ${other}`)).toContain('missed=1');
  expect(await statuses()).toEqual(['executing', 'awaiting_approval']);
});

test('the terminal neither groups them nor approves both', async () => {
  const { digest } = await waiting();
  const io = quietIo(desk.root, { USER: 'ada' });
  await listBatchGates('b', { json: true }, io);
  expect(JSON.parse(io.said.at(-1) ?? '')).toMatchObject([[{ run: 'run-1' }], [{ run: 'run-2' }]]);
  await approveBatch('b', { run: 'run-1', digest, json: true }, io);
  expect(JSON.parse(io.said.at(-1) ?? '')).toMatchObject({
    approved: [expect.stringContaining('run-1')],
    left: [expect.stringContaining('run-2')],
  });
  expect(await statuses()).toEqual(['executing', 'awaiting_approval']);
});

test('the pack says that its difference is incomplete, and so does the page', async () => {
  await waiting();
  const run = await desk.store.open('run-1');
  const pack = JSON.parse((await run.read('gates/HITL-1.r2/pack.json')) ?? '') as { since: object };
  expect(pack.since).toMatchObject({ diffIncomplete: true });
  const client = stranger(desk.review());
  await client.send('/sign-in', { token: TOKEN });
  expect((await client.get('/runs/run-1/gates/HITL-1.r2/design')).text).toContain('too large to show line by line');
});

test('the same design in both is still answered once', async () => {
  for (const id of ['run-1', 'run-2']) await desk.waiting(id, [{ narrative: OLD }, { narrative: HARMLESS }]);
  await desk.batch('b', ['run-1', 'run-2']);
  const io = quietIo(desk.root, { USER: 'ada' });
  await listBatchGates('b', { json: true }, io);
  expect(JSON.parse(io.said.at(-1) ?? '')).toHaveLength(1);
});

/** Who is named for one scenario reads nothing of another: no page, no list, no number, no stream, no API. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { sha256 } from '../../src/disk/sha256.ts';
import { bearer, signedIn, type Client } from './client.ts';
import { useDesk } from './use-desk.ts';

const GATE = 'gates/HITL-1.r1';
const desk = useDesk();
beforeEach(async () => {
  const run = await desk.waiting('run-refunds');
  await cp(run.dir, join(desk.root, 'scenarios/clinic/runs/run-clinic'), { recursive: true });
  await desk.batch('nightly', ['run-refunds']);
});

const reviewers = [
  { name: 'ada', token_sha256: sha256('ada') },
  { name: 'cleo', scenarios: ['clinic'], token_sha256: sha256('cleo') },
  { name: 'carl', role: 'viewer', scenarios: ['clinic'], token_sha256: sha256('carl') },
  { name: 'rita', scenarios: ['clinic'], reads: ['refund-desk'], token_sha256: sha256('rita') },
  { name: 'omar', role: 'viewer', scenarios: ['clinic'], reads: 'all', token_sha256: sha256('omar') },
];
const as = (name: string): Promise<Client> => signedIn(desk.review({ reviewers: { reviewers } }), name);

test('the queue shows first what waits for the reader, and apart from it what waits for others', async () => {
  await desk.waiting('waits-for-two', [{}], 2);
  const [mine = '', others = ''] = (await (await as('rita')).get('/')).text.split('Waiting for others');
  expect(mine).toContain('run-clinic');
  expect(mine).not.toContain('waits-for-two');
  expect(others).toContain('waits-for-two');
  expect((await (await as('omar')).get('/')).text).toContain('None of them waits for you.');
  const ada = await as('ada');
  expect((await ada.get('/')).text).not.toContain('Waiting for others');
  const gate = `/runs/waits-for-two/${GATE}`;
  await ada.send(gate, { decision: 'approve' }, { from: gate });
  expect((await ada.get('/')).text.split('Waiting for others')[1]).toMatch(/waits-for-two[^]*1 of 2 approvals/);
});

const RUN_PATHS = [
  '',
  `/${GATE}`,
  `/${GATE}/design`,
  `/${GATE}/edit`,
  `/${GATE}/comment?on=R1`,
  '/sources/brief.md',
  '/live',
  '/transcripts/init',
  '/results',
];

test.each(['cleo', 'carl'])('%s, named for the clinic, finds nothing of the refund desk', async (name) => {
  const client = await as(name);
  for (const path of ['/', '/runs', '/batches', '/next'])
    expect((await client.get(path)).text, path).not.toContain('run-refunds');
  for (const path of RUN_PATHS) expect((await client.get(`/runs/run-refunds${path}`)).status, path).toBe(404);
  for (const path of [
    '/batches/nightly',
    '/compare?run=run-refunds&run=run-clinic',
    '/batches/nightly/live',
    `/api/${GATE.replace('gates/', 'gates/run-refunds.')}`,
  ])
    expect((await client.get(path, bearer(name))).status, path).toBe(404);
  expect(JSON.stringify((await client.api('/api/gates', undefined, bearer(name))).json)).not.toContain('run-refunds');
  const digest = 'x'.repeat(12);
  const door = '/api/gates/run-refunds.HITL-1.r1/decision';
  expect((await client.api(door, { digest, decision: 'approve', nonce: 'n'.repeat(8) }, bearer(name))).status).toBe(
    404,
  );
  expect((await client.send(`/runs/run-refunds/${GATE}`, { decision: 'approve' }, { from: '/' })).status).toBe(404);
});

test('each still has what they are named for, and who is named for nothing has everything', async () => {
  const cleo = await as('cleo');
  expect((await cleo.get('/')).text).toContain('run-clinic');
  expect((await cleo.get(`/runs/run-clinic/${GATE}`)).text).toContain('name="decision"');
  expect((await cleo.send(`/runs/run-clinic/${GATE}`, { decision: 'approve' })).status).toBe(303);
  for (const name of ['ada', 'rita', 'omar']) {
    const client = await as(name);
    expect((await client.get(`/runs/run-refunds/${GATE}`)).status, name).toBe(200);
    expect((await client.get('/batches/nightly')).status, name).toBe(200);
  }
  expect((await (await as('rita')).get(`/runs/run-refunds/${GATE}`)).text).toContain(
    'You can read this, but not decide it.',
  );
});

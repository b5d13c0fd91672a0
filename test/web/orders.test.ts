/** Stopping a run and going on with it from its page: on record, by those who may, and by this page's own form alone. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { announceWorker } from '../../src/worker/presence.ts';
import { markWork } from '../../src/run-folder/work-mark.ts';
import { bearer, signedIn, stranger } from './client.ts';
import { HOST, type Desk } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const PAGE = '/runs/run-1';
const ORDERS = `${PAGE}/orders`;
const lastEvent = async (run: Awaited<ReturnType<Desk['waiting']>>) => (await run.journal.read()).at(-1);

test('pause, go on and cancel are events with who gave them; a cancel needs a reason', async () => {
  const run = await desk.waiting('run-1');
  await run.write('queue.json', '{"version":1,"carriedBy":"workers"}');
  const client = await signedIn(desk.review());
  const order = (fields: Record<string, string>) => client.send(ORDERS, fields, { from: PAGE });
  const paused = await order({ do: 'pause', comment: 'lunch' });
  expect([paused.status, paused.headers.get('location')]).toEqual([303, PAGE]);
  expect(await lastEvent(run)).toMatchObject({
    actor: 'user:ada',
    body: { type: 'run.paused', reason: 'user', detail: 'lunch' },
  });
  expect((await client.get(PAGE)).text).toMatch(/value="retry"/);
  expect((await order({ do: 'retry' })).status).toBe(303);
  expect(await lastEvent(run)).toMatchObject({ actor: 'user:ada', body: { type: 'run.resumed' } });
  expect((await order({ do: 'cancel' })).status).toBe(422);
  expect((await desk.state(run)).status).toBe('awaiting_approval');
  expect((await order({ do: 'cancel', comment: 'wrong brief' })).status).toBe(303);
  expect(await lastEvent(run)).toMatchObject({ body: { type: 'run.cancelled', detail: 'wrong brief' } });
  expect((await client.get(PAGE)).text).not.toContain('Stop it');
  const late = await stranger(desk.review()).get(PAGE, bearer());
  expect(late.status).toBe(200);
});

test('a page says when nothing is at work, with the command that starts it, and stops saying so when something is', async () => {
  const run = await desk.waiting('run-1');
  const client = await signedIn(desk.review());
  const gate = `${PAGE}/gates/HITL-1.r1`;
  expect((await client.get(PAGE)).text).not.toContain('tandem resume');
  await client.send(gate, { decision: 'approve' });
  for (const page of [PAGE, gate]) {
    const { text } = await client.get(page);
    expect(text).toMatch(/Nothing is running it\. Start it:<\/strong>\s*<code>tandem resume run-1<\/code>/);
    expect(text).not.toContain('is being made');
  }
  const end = await markWork(run);
  expect((await client.get(PAGE)).text).toContain('It is being worked on');
  await end();
  await run.write('queue.json', '{"version":1,"carriedBy":"workers"}');
  expect((await client.get(PAGE)).text).toContain('none is running. Start one:');
  await announceWorker(desk.read.shared, { worker: 'w', program: '1', lanes: ['init'] }, desk.clock).renew();
  expect((await client.get(PAGE)).text).toContain('Workers go on with it: nothing is to be done.');
});

test('where the server may start work, one button goes on, once, with the guards of every order', async () => {
  const run = await desk.waiting('run-1');
  const startedRuns: string[] = [];
  const review = desk.review({ startWork: (dir) => Promise.resolve(void startedRuns.push(dir)) });
  const client = await signedIn(review);
  const gate = `${PAGE}/gates/HITL-1.r1`;
  await client.send(gate, { decision: 'approve' });
  for (const page of [PAGE, gate]) expect((await client.get(page)).text).toMatch(/name="do" value="retry">Go on/);
  expect((await client.send(ORDERS, { do: 'retry', form: 'made.up' }, { from: PAGE })).status).toBe(403);
  expect(startedRuns).toEqual([]);
  expect((await client.send(ORDERS, { do: 'retry' }, { from: PAGE })).status).toBe(303);
  expect(startedRuns).toEqual([run.dir]);
  const end = await markWork(run);
  expect((await client.send(ORDERS, { do: 'retry' }, { from: PAGE })).text).toContain('being worked on already');
  await client.send(ORDERS, { do: 'pause' }, { from: PAGE });
  await end();
  expect((await client.send(ORDERS, { do: 'retry' }, { from: PAGE })).status).toBe(303);
  expect(await lastEvent(run)).toMatchObject({ actor: 'user:ada', body: { type: 'run.resumed' } });
  expect(startedRuns).toHaveLength(2);
});

test('a run that no workers carry is refused by name, and nothing is appended', async () => {
  const run = await desk.waiting('run-1');
  const client = await signedIn(desk.review());
  await client.send(ORDERS, { do: 'pause' }, { from: PAGE });
  const before = (await run.journal.read()).length;
  const refused = await client.send(ORDERS, { do: 'retry' }, { from: PAGE });
  expect([refused.status, (await run.journal.read()).length]).toEqual([400, before]);
  expect(refused.text).toContain('go on with tandem resume run-1');
});

test('a viewer sees no buttons and is refused; so is a form that this page did not make, or another site sends', async () => {
  const run = await desk.waiting('run-1');
  const token = 'the-token-of-vera-is-long-enough';
  const vera = { name: 'vera', role: 'viewer', token_sha256: createHash('sha256').update(token).digest('hex') };
  const owner = { name: 'ada', role: 'owner' };
  const review = desk.review({ reviewers: { reviewers: [owner, vera] } });
  const viewer = await signedIn(review, token);
  expect((await viewer.get(PAGE)).text).not.toContain('Stop it');
  expect((await viewer.send(ORDERS, { do: 'pause' }, { from: PAGE })).status).toBe(403);
  const client = await signedIn(review);
  expect((await client.send(ORDERS, { do: 'pause', form: 'made.up' }, { from: PAGE })).status).toBe(403);
  const headers = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site', host: HOST };
  expect((await client.send(ORDERS, { do: 'pause' }, { from: PAGE, headers })).status).toBe(403);
  expect((await desk.state(run)).status).toBe('awaiting_approval');
});

/** One reviewer hands a gate to another: recorded, shown in both queues, and never an approval. */
import { beforeEach, expect, test } from 'vitest';
import { sha256 } from '../../src/disk/sha256.ts';
import { signedIn, type Client } from './client.ts';
import { useDesk } from './use-desk.ts';
import { openSnapshot } from '../../src/run-folder/snapshot.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';

const desk = useDesk();
const GATE = '/runs/run-1/gates/HITL-1.r1';
const reviewers = [
  { name: 'ada', token_sha256: sha256('ada') },
  { name: 'bob', token_sha256: sha256('bob') },
  { name: 'cleo', scenarios: ['clinic'], token_sha256: sha256('cleo') },
  { name: 'vera', role: 'viewer', token_sha256: sha256('vera') },
];
const as = (name: string): Promise<Client> => signedIn(desk.review({ reviewers: { reviewers } }), name);

let run: RunFolder;
beforeEach(async () => {
  run = await desk.waiting('run-1');
});

const handTo = (client: Client, to: string, fields: Record<string, string> = {}) =>
  client.send(`${GATE}/hand`, { hand: 'over', to, ...fields }, { from: GATE });

test('it waits for the one who was handed it, for others in the queue of the one who did, and stays undecided', async () => {
  const [ada, bob] = [await as('ada'), await as('bob')];
  const page = (await ada.get(GATE)).text;
  expect(page.match(/<option value="[^"]*"/g)).toEqual(['<option value="bob"']);
  desk.clock.pass(60_000 * 90);
  expect((await handTo(ada, 'bob', { why: 'You know gift cards.', comment: 'My own thoughts' })).status).toBe(303);
  desk.clock.pass(60_000 * 20);
  const [mine, others = ''] = (await ada.get('/')).text.split('Waiting for others');
  expect(mine).toContain('None of them waits for you.');
  expect(others).toMatch(/1.h.50.min[\s\S]*ada handed it to bob 20.min ago/);
  const queue = (await bob.get('/')).text;
  expect(queue).not.toContain('Waiting for others');
  expect(queue).toContain('ada handed it to bob 20 min ago');
  const { state, events } = await openSnapshot(run);
  expect(state).toMatchObject({ status: 'awaiting_approval', decisions: [], gate: { approvals: [] } });
  expect(events.at(-1)).toMatchObject({
    actor: 'user:ada',
    body: { type: 'gate.commented', to: 'bob', comment: 'You know gift cards.' },
  });
  const handed = (await bob.get(GATE)).text;
  expect(handed).toMatch(/Handed to <strong>bob<\/strong>[\s\S]*You know gift cards\./);
  // What the first one wrote is theirs, and is neither lost nor shown.
  expect(handed).not.toContain('My own thoughts');
  expect((await ada.get(GATE)).text).toContain('My own thoughts');
});

test('handing takes no right away, can be handed back, and the same twice is recorded once', async () => {
  const [ada, bob] = [await as('ada'), await as('bob')];
  await handTo(ada, 'bob');
  await handTo(ada, 'bob');
  await handTo(bob, 'ada');
  expect((await ada.get('/')).text).not.toContain('Waiting for others');
  const { events } = await openSnapshot(run);
  expect(events.flatMap(({ body }) => (body.type === 'gate.commented' ? [body.to] : []))).toEqual(['bob', 'ada']);
  expect((await bob.send(GATE, { decision: 'approve' }, { from: GATE })).status).toBe(303);
  expect((await desk.state(run)).status).toBe('executing');
});

test.each(['ada', 'cleo', 'vera', 'nobody', ''])('nobody is handed it who may not decide it: %s', async (to) => {
  const { status, text } = await handTo(await as('ada'), to);
  expect(status).toBe(403);
  expect(text).toContain('is no other reviewer who may decide this gate');
  expect((await openSnapshot(run)).events.some(({ body }) => body.type === 'gate.commented')).toBe(false);
});

test('a viewer hands nothing over, and where nobody is listed nobody can be named', async () => {
  expect((await handTo(await as('vera'), 'bob')).status).toBe(403);
  const client = await signedIn(desk.review());
  expect((await client.get(GATE)).text).not.toContain('Hand it to somebody else');
});

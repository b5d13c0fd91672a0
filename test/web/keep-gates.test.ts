/** Reminders, expiry and notices while the page is served: each once, and none that approves. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLease, type Lease } from '../../src/disk/lease.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { startGateScheduler, type GateScheduler } from '../../src/app/notices/gate-scheduler.ts';
import { createLinks } from '../../src/app/notices/subjects.ts';
import { Reviewers } from '../../src/config/reviewers.ts';
import { sha256 } from '../../src/disk/sha256.ts';
import { scratch } from '../support/scratch.ts';
import { signedIn, stranger } from './client.ts';
import { openDesk, type Desk } from './desk.ts';

let desk: Desk;
let got: { id: string; kind: string; text: string }[];
let status: number;
let hook: { url: string; close: () => Promise<void> };
const never = new AbortController().signal;

beforeEach(async () => {
  desk = await openDesk();
  [got, status] = [[], 200];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      if (status === 200) got.push(JSON.parse(body) as (typeof got)[number]);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  hook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((settle) => server.close(() => settle())),
  };
});
afterEach(async () => {
  await hook.close();
  await desk.remove();
});

function keep(parts: object, log: (line: string) => void = () => undefined, lease?: Lease): GateScheduler {
  const reviewers = Reviewers.parse({
    version: 1,
    notices: [{ kind: 'webhook', url_env: 'HOOK', secret_env: 'SECRET' }],
    ...parts,
  });
  const read = desk.read;
  return startGateScheduler({
    project: desk.root,
    read,
    reviewers,
    env: { HOOK: hook.url, SECRET: 's' },
    secret: 'a secret of the test',
    base: 'http://desk.test:7420',
    lease,
    log,
  });
}

const leaseIn = (dir: string, holder: string): Lease =>
  openLease({ files: openSharedFiles(dir), path: 'keeper.json' }, desk.clock, { lastsMs: 6 * 3_600_000, holder });

test('a gate is announced once, however often it is looked at and by however many', async () => {
  await desk.waiting('run-1');
  for (const keeping of [keep({}), keep({})]) for (let look = 0; look < 3; look += 1) await keeping.look(never);
  expect(got.map(({ id }) => id)).toEqual(['run-1.HITL-1.r1.opened']);
});

test('of a page and three workers that look at the same time one tells, and when it is gone another goes on', async () => {
  const dir = await scratch();
  await desk.waiting('run-1');
  const keepers = ['page', 'w1', 'w2', 'w3'].map((name) => keep({}, undefined, leaseIn(dir, name)));
  const lookAll = (some: readonly GateScheduler[]) => Promise.all(some.map((keeping) => keeping.look(never)));
  await lookAll(keepers);
  await lookAll(keepers);
  expect(got.map(({ id }) => id)).toEqual(['run-1.HITL-1.r1.opened']);
  await desk.waiting('run-2');
  const holder = JSON.parse(await readFile(join(dir, 'keeper.json'), 'utf8')) as { holder: string };
  const others = keepers.filter((_, index) => ['page', 'w1', 'w2', 'w3'][index] !== holder.holder);
  await lookAll(others);
  expect(got).toHaveLength(1);
  desk.clock.pass(7 * 3_600_000);
  await lookAll(others);
  await lookAll(others);
  expect(got.map(({ id }) => id).slice(1)).toEqual(['run-2.HITL-1.r1.opened']);
});

test('a run of which everything was told is not read again until something happens to it', async () => {
  const run = await desk.waiting('run-1');
  const at = vi.spyOn(desk.store, 'at');
  const keeping = keep({});
  await keeping.look(never);
  expect(at).toHaveBeenCalled();
  at.mockClear();
  await keeping.look(never);
  expect(at).not.toHaveBeenCalled();
  const { digest = '' } = (await desk.state(run)).designs[0] ?? {};
  const nonce = 'nonce-of-ada';
  const decision = { type: 'gate.decided' as const, gate: 'HITL-1.r1', round: 1, decision: 'approve' as const };
  const body = { ...decision, digest, comment: '', via: 'test', nonce };
  await run.journal.append(body, 'user:ada', (await run.journal.read()).length);
  await keeping.look(never);
  expect(got.map(({ kind }) => kind)).toEqual(['opened', 'decided']);
});

test('without an address to lead to nothing is sent, and gates expire all the same', async () => {
  const run = await desk.waiting('run-1');
  const read = desk.read;
  const notices = [{ kind: 'webhook', url_env: 'HOOK', secret_env: 'SECRET' }];
  const reviewers = Reviewers.parse({ version: 1, notices, remind_after_hours: [1], expire_after_hours: 3 });
  const lines: string[] = [];
  const keeping = startGateScheduler({
    project: desk.root,
    read,
    reviewers,
    env: {},
    base: undefined,
    log: (line) => lines.push(line),
  });
  for (const hours of [0, 2, 2]) {
    desk.clock.pass(hours * 3_600_000);
    await keeping.look(never);
  }
  expect(lines).toEqual(['run-1 HITL-1.r1 remind', 'run-1 HITL-1.r1 expire']);
  expect(await desk.state(run)).toMatchObject({ status: 'expired' });
  expect(got).toEqual([]);
});

test('reminders are events of the run and told once each; then the gate expires and the run ends, not approved', async () => {
  const run = await desk.waiting('run-1');
  const keeping = keep({ remind_after_hours: [4, 24], expire_after_hours: 48 });
  for (const hours of [0, 5, 1, 20, 1, 30]) {
    desk.clock.pass(hours * 3_600_000);
    await keeping.look(never);
  }
  expect(got.map(({ id }) => id.slice('run-1.HITL-1.r1.'.length))).toEqual([
    'opened',
    'reminded.1',
    'reminded.2',
    'expired',
  ]);
  expect(await desk.state(run)).toMatchObject({ status: 'expired', decisions: [] });
});

test('an answer is told to those who heard the question', async () => {
  await desk.waiting('run-1');
  const keeping = keep({});
  await keeping.look(never);
  const client = await signedIn(desk.review());
  await client.send('/runs/run-1/gates/HITL-1.r1', { decision: 'approve', comment: 'fine' });
  await keeping.look(never);
  await keeping.look(never);
  expect(got.map(({ kind, text }) => [kind, text]).at(-1)).toEqual([
    'decided',
    'user:ada: approve at HITL-1.r1. "fine"',
  ]);
  expect(got).toHaveLength(2);
});

test('a first look at old runs tells nothing of what was answered before', async () => {
  await desk.waiting('run-1', [{}, {}]);
  await keep({}).look(never);
  expect(got.map(({ id }) => id)).toEqual(['run-1.HITL-1.r2.opened']);
});

test('what a receiver refuses is told again, later and later, and logged without its address', async () => {
  await desk.waiting('run-1');
  const lines: string[] = [];
  const keeping = keep({}, (line) => lines.push(line));
  status = 400;
  await keeping.look(never);
  await keeping.look(never);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(hook.url);
  status = 200;
  await keeping.look(never);
  expect(got).toHaveLength(0);
  desk.clock.pass(31_000);
  await keeping.look(never);
  expect(got).toHaveLength(1);
});

test("a reviewer's own link opens one gate and one design, and nothing else", async () => {
  const run = await desk.waiting('run-1', [{}], 2);
  await desk.waiting('run-2');
  const reviewers = {
    reviewers: [
      { name: 'ada', email: 'ada@example.org' },
      { name: 'bob', token_sha256: sha256('bobs-own-token') },
    ],
  };
  const links: string[] = [];
  const { clock, store } = desk;
  const parsed = Reviewers.parse({ version: 1, ...reviewers });
  const state = await desk.state(run);
  const digest = state.designs[0]?.digest ?? '';
  const told = {
    id: 'x',
    kind: 'opened' as const,
    run: 'run-1',
    scenario: 'refund-desk',
    gate: 'HITL-1.r1',
    digest,
    title: '',
    text: '',
    at: '',
    waits: true,
  };
  const { recipients } = createLinks({
    base: 'http://desk.test:7420',
    reviewers: parsed,
    secret: 'a secret of the test',
    clock,
  })(told);
  links.push(...recipients.map(({ url }) => url.slice('http://desk.test:7420'.length)));
  expect(links).toHaveLength(1);
  // Who does not have the secret of the page seals nothing: the link leads to the gate, and there one signs in.
  const unsealed = createLinks({ base: 'http://desk.test:7420', reviewers: parsed, secret: undefined, clock })(told);
  expect(unsealed.recipients.map(({ url }) => url)).toEqual([unsealed.url]);
  const review = desk.review({ reviewers });
  const client = stranger(review);
  expect((await client.get(links[0] ?? '')).text).toContain('Signed in as ada');
  const place = '/runs/run-1/gates/HITL-1.r1';
  expect((await client.get(place)).status).toBe(200);
  for (const path of ['/', '/runs', '/runs/run-2', '/runs/run-2/gates/HITL-1.r1', '/api/gates']) {
    expect((await client.get(path)).status, path).toBe(403);
  }
  expect((await client.send(place, { decision: 'approve' })).status).toBe(303);
  const bob = await signedIn(review, 'bobs-own-token');
  await bob.send(place, { decision: 'request_changes', comment: 'R2?' });
  expect(await desk.state(run)).toMatchObject({ status: 'designing', round: 2 });
  expect((await store.list()).length).toBe(2);
});

test('a link that was made for an earlier design reads the new one and cannot answer it', async () => {
  const run = await desk.waiting('run-1', [{}, {}]);
  const { designs } = await desk.state(run);
  const reviewers = Reviewers.parse({ version: 1, reviewers: [{ name: 'ada', email: 'ada@example.org' }] });
  const told = {
    id: 'x',
    kind: 'opened' as const,
    run: 'run-1',
    scenario: 'refund-desk',
    title: '',
    text: '',
    at: '',
    waits: true,
  };
  const old = { ...told, gate: 'HITL-1.r1', digest: designs[0]?.digest ?? '' };
  const stale = { ...told, gate: 'HITL-1.r2', digest: 'an earlier one' };
  for (const [made, why] of [
    [old, 'Your link was made for another gate.'],
    [stale, 'Your link was made for an earlier design.'],
  ] as const) {
    const links = createLinks({ base: '', reviewers, secret: 'a secret of the test', clock: desk.clock })(made);
    const client = stranger(desk.review());
    await client.get(links.recipients[0]?.url ?? '');
    const place = '/runs/run-1/gates/HITL-1.r2';
    const page = (await client.get(place)).text;
    expect(page).toContain(why);
    expect(page).not.toContain('name="decision"');
    const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const digest = designs[1]?.digest ?? '';
    const posted = await client.send(place, { decision: 'approve', digest, form, nonce: 'nnnnnnnn' });
    expect([posted.status, posted.text.includes(why)]).toEqual([409, true]);
    expect((await client.send(`${place}/edit`, { do: 'approve', digest, form, nonce: 'nnnnnnnn' })).status).toBe(403);
  }
  expect((await desk.state(run)).status).toBe('awaiting_approval');
});

test('a decision that is taken back is told of, and the gate that waits again is not announced as new', async () => {
  await desk.waiting('run-1');
  const keeping = keep({});
  await keeping.look(never);
  const client = await signedIn(desk.review());
  const gate = '/runs/run-1/gates/HITL-1.r1';
  await client.send(gate, { decision: 'approve' });
  await client.send(`${gate}/undo`, {}, { from: gate });
  await keeping.look(never);
  await keeping.look(never);
  expect(got.map(({ kind }) => kind)).toEqual(['opened', 'decided', 'undone']);
  expect(got[2]).toMatchObject({ text: 'user:ada took a decision at HITL-1.r1 back: it waits again.' });
});

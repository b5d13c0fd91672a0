/** Commands that know no difference between folders and a store: each begins on one machine and goes on on another that shares PostgreSQL alone. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { eventually } from '../support/chaos.ts';
import { lastJson, start } from '../support/cli.ts';
import {
  graded,
  httpAt,
  jsonOn,
  on,
  portOf,
  put,
  storeMachine,
  useStoreServer,
  type Machine,
} from '../support/store-machines.ts';

const used = useStoreServer();

const machine = (space: string, user: string, { hasScenario = true } = {}): Promise<Machine> =>
  storeMachine(used, { space, user, hasScenario });

const RUN = ['run', 'small-desk', '--profile', 'demo'];

test.concurrent('chats, labels, what an upgrade would do, runs that leave the store', async () => {
  const [ann, bob] = [await machine('chats', 'ann'), await machine('chats', 'bob')];
  const cem = await machine('chats', 'cem', { hasScenario: false });
  for (const at of [ann, bob]) await graded(at);
  expect(await on(ann, [...RUN, '--id', 'r1', '--on-gate', 'exit'])).toMatchObject({ code: 4 });

  // Killed in the middle of a call: whoever asks next, on whichever machine, counts what it may have cost.
  const arrived = Promise.withResolvers<void>();
  const hangs = await httpAt(used.https, (url) => {
    if (url === '/v1/messages') arrived.resolve();
    return url === '/v1/messages' ? 'never' : 'taken';
  });
  const endpoint = { ANTHROPIC_BASE_URL: hangs, ANTHROPIC_API_KEY: 'any' };
  const question = ['chat', 'r1', '--message', 'Which rules are there?'];
  const dies = start(ann.project, question, { ...ann.env, ...endpoint });
  await Promise.race([arrived.promise, dies.done.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  dies.kill('SIGKILL');
  await dies.done;
  const next = await on(bob, question);
  expect(next, next.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('look first (R1)') as string });
  expect(next.stderr).toContain('cut off in mid-call');
  expect(await jsonOn(ann, ...question)).toMatchObject({ run: 'r1', lane: 'r1', actor: 'user:ann' });
  const beside = await jsonOn(bob, 'session', '--run', 'r1', '-p', 'hello');
  expect(beside).toMatchObject({ end: 'answered' });
  expect(await jsonOn(bob, 'verify', 'r1')).toMatchObject({ ok: true });

  const ended = await on(bob, ['resume', 'r1', '--profile', 'demo', '--on-gate', 'auto:demo']);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  type Task = { name: string; grader: string };
  const [task] = await jsonOn<Task[]>(cem, 'label', 'r1', '--list');
  if (task === undefined) throw new Error('nothing to label');
  expect(task.grader).toBe('kind-refusal');
  // Two people at the same time, on two machines: each label follows the other.
  const mark = (at: Machine, as: string) =>
    on(at, ['label', 'r1', '--mark', task.name, '--as', as, '--reason', 'read it', '--json']);
  for (const done of await Promise.all([mark(ann, 'pass'), mark(bob, 'fail')])) expect(done.code, done.stderr).toBe(0);
  const exported = (await on(cem, ['label', 'r1', '--export', '-'])).stdout.trim().split('\n');
  const labels = exported.map((line) => JSON.parse(line) as { by: string; seq: number; prev: string; hash: string });
  expect(labels.map(({ by }) => by).toSorted((one, other) => one.localeCompare(other))).toEqual([
    'user:ann',
    'user:bob',
  ]);
  expect([labels[1]?.seq, labels[1]?.prev]).toEqual([1, labels[0]?.hash]);
  expect(await jsonOn<Task[]>(bob, 'label', 'r1', '--list')).toEqual([]);

  expect(await jsonOn(cem, 'upgrade-check')).toMatchObject({ runs: [{ run: 'r1', outcome: 'ended', by: '0.1.0' }] });
  // Without the scenario's folder nobody knows whether the run is blessed.
  expect(await jsonOn(cem, 'runs', 'prune', '--older-than', '1s')).toMatchObject({ runs: [], unseen: ['r1'] });
  expect(await jsonOn(ann, 'runs', 'prune', '--older-than', '1s')).toMatchObject({ runs: ['r1'], blessed: [] });
  const archive = join(used.root, 'archive');
  expect((await on(ann, ['copy', 'r1', '--to', archive])).code).toBe(0);
  expect(await jsonOn(ann, 'runs', 'prune', '--older-than', '1s', '--yes')).toMatchObject({ runs: ['r1'] });
  expect((await on(bob, ['status', 'r1'])).code).toBe(2);
  const there = { project: archive, env: { HOME: ann.env['HOME'] ?? '' } };
  expect(await jsonOn(there, 'verify', 'r1')).toMatchObject({ ok: true });
  expect((await on(there, ['copy', 'r1', '--to', ann.env['TANDEM_STORE'] ?? ''])).code).toBe(0);
  expect(await jsonOn(cem, 'verify', 'r1')).toMatchObject({ ok: true });
}, 240_000);

test.concurrent('a session that is killed goes on elsewhere, with its workspace, and pays nothing twice', async () => {
  const [ann, bob] = [
    await machine('sessions', 'ann', { hasScenario: false }),
    await machine('sessions', 'bob', { hasScenario: false }),
  ];
  let [requests, arrived] = [0, Promise.withResolvers<void>()];
  const simulator = await startSimulator({
    simulationDir: 'agents/session/simulation',
    latencyMs: 100,
    onRequest: ({ path }) => {
      requests += path === '/v1/messages' ? 1 : 0;
      if (requests === 3) arrived.resolve();
    },
  });
  try {
    const model = { ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'any' };
    const at = ({ project, env }: Machine): Machine => ({ project, env: { ...env, ...model } });
    const { session } = await jsonOn<{ session: string }>(at(ann), 'session', '-p', 'hello');
    const say = (text: string) => ['session', '--resume', session, '-p', text, '--json'];
    // Its second answer of this turn is asked for: the first has written a file, or is about to.
    const dies = start(ann.project, say('Please write a note'), at(ann).env);
    await Promise.race([arrived.promise, dies.done.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    dies.kill('SIGKILL');
    await dies.done;
    const goesOn = await on(at(bob), say('make a plan'));
    expect(goesOn, goesOn.stderr).toMatchObject({ code: 0 });
    expect(lastJson(goesOn)).toMatchObject({ turn: 3, text: 'Two points: one is done, one is open.' });
    const shown = await on(ann, ['sessions', 'export', session]);
    expect(shown.stdout).toContain('Done: `workspace/note.md` has two lines.');
    const files = (await used.server.query(
      `SELECT path FROM sessions_runs.file WHERE run = 'session/${session}' AND digest IS NOT NULL`,
    )) as { path: string }[];
    expect(files.map(({ path }) => path)).toContain('workspace/note.md');
    const left = await used.server.query('SELECT 1 FROM sessions_runs.attempt');
    expect(left).toEqual([]);
    const lines = (await used.server.query(
      `SELECT body FROM sessions_runs.line WHERE run = 'session/${session}' AND book = 'spend'`,
    )) as { body: string }[];
    const booked = lines
      .flatMap(({ body }) => body.trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as { type: string; call: string });
    const reserved = booked.flatMap(({ type, call }) => (type === 'reserved' ? [call] : []));
    // Only the call that was under way at the kill may be made once more.
    expect(reserved.length - new Set(reserved).size).toBeLessThanOrEqual(1);
    expect(await jsonOn<{ id: string }[]>(bob, 'sessions', 'list')).toMatchObject([{ id: session, status: 'idle' }]);
  } finally {
    await simulator.close();
  }
}, 240_000);

test.concurrent('notices go out once from all machines together; the page answers questions', async () => {
  const [ann, bob] = [await machine('notices', 'ann'), await machine('notices', 'bob')];
  const cem = await machine('notices', 'cem', { hasScenario: false });
  const taken: string[] = [];
  const url = await httpAt(used.https, (_url, body) => {
    taken.push((JSON.parse(body) as { id: string }).id);
    return 'taken';
  });
  const channel = { TANDEM_WEBHOOK_URL: url, TANDEM_WEBHOOK_SECRET: 'sealed' };
  const token = 'a-token-that-is-long-enough-for-the-page';
  const reviewers = {
    ...{ version: 1, base_url: 'http://127.0.0.1:7420' },
    reviewers: [{ name: 'dora', token_sha256: createHash('sha256').update(token).digest('hex') }],
    notices: [{ kind: 'webhook', url_env: 'TANDEM_WEBHOOK_URL', secret_env: 'TANDEM_WEBHOOK_SECRET' }],
  };
  for (const at of [ann, bob, cem]) await put(at, 'config/reviewers.yaml', stringify(reviewers));
  const waits = await on(ann, [...RUN, '--id', 'r1', '--on-gate', 'exit']);
  expect(waits, waits.stderr).toMatchObject({ code: 4 });
  const pages = [ann, bob].map(({ project, env }) =>
    start(project, ['serve', '--listen', '127.0.0.1:0', '--json'], { ...env, ...channel }),
  );
  try {
    const ports = await Promise.all(pages.map(portOf));
    const [, port] = ports;
    const asked = await fetch(`http://127.0.0.1:${port}/api/gates`, { headers: { authorization: `Bearer ${token}` } });
    expect([asked.status, await asked.json()]).toMatchObject([200, [{ run: 'r1', gate: 'HITL-1.r1' }]]);
    const sent = await eventually(async () => {
      const listed = await jsonOn<{ sent: number; channels: { name: string }[] }>(cem, 'notices');
      expect(listed.sent).toBe(1);
      return listed;
    });
    expect(sent.channels).toMatchObject([{ name: 'webhook', since: expect.stringMatching(/^20/) as string }]);
  } finally {
    for (const page of pages) page.kill('SIGTERM');
    await Promise.all(pages.map(({ done }) => done));
  }
  expect(taken).toEqual(['r1.HITL-1.r1.opened']);
  expect(await jsonOn(cem, 'verify', 'r1')).toMatchObject({ ok: true });
}, 240_000);

test.concurrent('a schedule is begun by a worker elsewhere, which is seen and drained from here', async () => {
  const [ann, bob] = [await machine('queued', 'ann'), await machine('queued', 'bob')];
  const TANDEM_QUEUE = `${used.server.url}?space=queued`;
  for (const at of [ann, bob]) at.env['TANDEM_QUEUE'] = TANDEM_QUEUE;
  const batch = ['batch', 'small-desk', '--profile', 'demo', '--on-gate', 'exit'];
  expect(await jsonOn(bob, ...batch, '--cron', '*/5 * * * * *', '--id', 'night')).toMatchObject({ isNew: true });
  expect(await jsonOn(ann, ...batch, '--cron', '*/5 * * * * *', '--id', 'night')).toMatchObject({ isNew: false });
  const worker = start(ann.project, ['worker', '--profile', 'demo'], ann.env);
  const begun = () => used.server.query(`SELECT id FROM queued_runs.run WHERE starts_with(id, 'batch/night-')`);
  await eventually(async () => expect((await begun()).length).toBeGreaterThan(0));
  expect(await on(bob, ['queue', 'unschedule', 'night'])).toMatchObject({ code: 0 });
  expect(await jsonOn(ann, 'queue', 'schedules')).toEqual([]);
  const { workers } = await jsonOn<{ workers: { worker: string }[] }>(bob, 'queue', 'ls');
  expect(workers).toHaveLength(1);
  expect(await on(bob, ['queue', 'drain', 'nobody'])).toMatchObject({ code: 2 });
  expect(await on(bob, ['queue', 'drain', workers[0]?.worker ?? ''])).toMatchObject({ code: 0 });
  const { code, stderr } = await worker.done;
  expect(code, stderr).toBe(0);
  expect(await jsonOn(bob, 'queue', 'ls')).toMatchObject({ workers: [] });
}, 240_000);

test.concurrent('a last answer is discarded, on whichever machine', async () => {
  const [ann, bob] = [await machine('asked', 'ann'), await machine('asked', 'bob')];
  // Enough for the first answers of the step, which are remembered, and not for all of them.
  const paused = await on(ann, [...RUN, '--id', 'd1', '--on-gate', 'exit', '--budget', '0.4']);
  expect(paused).toMatchObject({ code: 5 });
  const resume = ['resume', 'd1', '--profile', 'demo', '--raise', '10', '--on-gate', 'exit', '--discard-last-answer'];
  const resumed = await on(bob, resume);
  expect(resumed, resumed.stderr).toMatchObject({ code: 4 });
  expect(resumed.stderr).toMatch(/The answer init\.\d+ is discarded/);
  expect(await jsonOn(ann, 'verify', 'd1')).toMatchObject({ ok: true });
  const lines = (await used.server.query(`SELECT body FROM asked_runs.line WHERE run = 'd1' AND book = 'spend'`)) as {
    body: string;
  }[];
  const settled = lines.flatMap(({ body }) => body.match(/"type":"settled","call":"[^"]+/g) ?? []);
  expect(settled.length - new Set(settled).size).toBe(1);
}, 240_000);

test.concurrent('runs that one machine archives are hidden on every machine, and listed again by any', async () => {
  const [ann, bob] = [await machine('archive', 'ann'), await machine('archive', 'bob')];
  for (const id of ['a1', 'a2'])
    expect(await on(ann, [...RUN, '--id', id, '--label', `kind=${id}`, '--on-gate', 'auto:demo'])).toMatchObject({
      code: 0,
    });
  expect(await on(ann, [...RUN, '--id', 'open', '--on-gate', 'exit'])).toMatchObject({ code: 4 });
  const listed = async (at: Machine, ...flags: string[]): Promise<string[]> => {
    const { stdout, code } = await on(at, ['status', ...flags]);
    expect(code).toBe(0);
    return ['a1', 'a2', 'open'].filter((id) => stdout.includes(id));
  };
  const archive = (at: Machine, ...flags: string[]) =>
    on(at, ['runs', 'archive', '--where', 'state=succeeded', ...flags]);
  expect(await archive(ann, '--dry-run')).toMatchObject({ code: 0 });
  expect(await listed(bob)).toEqual(['a1', 'a2', 'open']);
  // Two machines at the same time: each run is archived, and a second time is no fault.
  for (const done of await Promise.all([archive(ann, '--yes'), archive(bob, '--yes')]))
    expect(done, done.stderr).toMatchObject({ code: 0 });
  expect([await listed(ann), await listed(bob)]).toEqual([['open'], ['open']]);
  expect(await listed(bob, '--all')).toEqual(['a1', 'a2', 'open']);
  expect(await jsonOn(bob, 'verify', 'a1')).toMatchObject({ ok: true });
  const back = await on(bob, ['runs', 'archive', '--where', 'label.kind=a2', '--undo', '--yes']);
  expect(back, back.stderr).toMatchObject({ code: 0 });
  expect(await listed(ann)).toEqual(['a2', 'open']);
});

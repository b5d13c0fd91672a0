/** The process of a worker as a supervisor sees it: signals through launchers, doors beyond loopback, and the last resort. */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, portIn, type Env } from '../support/chaos.ts';
import { digestAt, lastJson, makeProject, start, tandem } from '../support/cli.ts';
import { relayedDesk } from '../support/relay.ts';
import { startPostgres, startRedis, type RedisServer } from '../support/servers.ts';

let redis: RedisServer;
let project: string;
let env: Env;
beforeAll(async () => {
  [redis, project] = [await startRedis(), await makeProject('refund-desk')];
  env = { TANDEM_QUEUE: redis.url, ANTHROPIC_API_KEY: 'offline' };
});
afterAll(() => redis.stop());

test('an error that nobody caught is said, marked and ends the worker with 70; an unhandled rejection too', async () => {
  for (const fault of ["throw new Error('a fault of ours')", "Promise.reject(new Error('a fault of ours'))"]) {
    const code = `setInterval(() => { if (process.argv.includes('worker')) ${fault} }, 4000)`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const { code: left, stderr } = await tandem(project, ['worker', '--profile', 'demo'], { ...env, NODE_OPTIONS });
    expect(left, stderr).toBe(70);
    expect(stderr).toMatch(/a fault of Tandem itself[\s\S]*a fault of ours/);
  }
  const folder = join(project, 'scenarios/.workers');
  const marks = (await readdir(folder)).map((name) => readFile(join(folder, name, 'fault.txt'), 'utf8'));
  for (const mark of await Promise.all(marks)) expect(mark).toContain('a fault of ours');
  expect(marks).toHaveLength(2);
});

test('a Redis that may evict jobs is named once by a worker, and by doctor', async () => {
  const own = await startRedis();
  await own.cli('config', 'set', 'maxmemory-policy', 'allkeys-lru');
  const portFile = join(project, 'evicting-port');
  const at = { ...env, TANDEM_QUEUE: own.url };
  const worker = start(project, ['worker', '--profile', 'demo', '--port-file', portFile], at);
  await portIn(portFile);
  const doctor = await tandem(project, ['doctor'], at);
  expect(doctor.stdout).toMatch(/^missing +queue .*answers, but its maxmemory-policy is allkeys-lru/m);
  worker.kill('SIGTERM');
  const { stderr } = await worker.done;
  expect(stderr.match(/allkeys-lru/g), stderr).toHaveLength(1);
  await own.stop();
  const alone = await tandem(project, ['doctor'], at);
  expect([alone.code, alone.stdout]).toEqual([2, expect.stringMatching(/^broken +queue .*TANDEM_QUEUE/m)]);
});

test('beyond loopback metrics need a token; probes need none', async () => {
  const open = ['worker', '--profile', 'demo', '--listen', '0.0.0.0:0'];
  const refused = await tandem(project, open, env);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--metrics-token-file') });
  const [portFile, tokenFile] = [join(project, 'metrics-port'), join(project, 'metrics-token')];
  const worker = start(project, [...open, '--metrics-token-file', tokenFile, '--port-file', portFile], env);
  const port = await portIn(portFile);
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers }).then(({ status }) => status);
  expect([await get('/healthz'), await get('/livez'), await get('/metrics')]).toEqual([200, 200, 401]);
  const token = (await readFile(tokenFile, 'utf8')).trim();
  expect(await get('/metrics', { authorization: `Bearer ${token}` })).toBe(200);
  worker.kill('SIGTERM');
  expect((await worker.done).code).toBe(143);
});

test.each(['redis', 'postgres'] as const)(
  'an outage of %s is one line, not ready meanwhile, alive throughout',
  async (kind) => {
    const postgres = kind === 'postgres' ? await startPostgres() : undefined;
    const own = kind === 'redis' ? await startRedis() : undefined;
    const portFile = join(project, `outage-${kind}`);
    const url = postgres?.url ?? own?.url ?? '';
    const worker = start(project, ['worker', '--profile', 'demo', '--port-file', portFile], {
      ...env,
      TANDEM_QUEUE: url,
    });
    try {
      const port = await portIn(portFile);
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then(({ status }) => status);
      const answers = (path: string, status: number) => eventually(async () => expect(await get(path)).toBe(status));
      let said = '';
      worker.stderr?.on('data', (text: string) => (said += text));
      await answers('/healthz', 200);
      await own?.stop('SIGKILL');
      const restarted = postgres?.restart('immediate', 4_000);
      await eventually(async () => {
        if (!said.includes('is away')) throw new Error('nothing was said');
      });
      await answers('/healthz', 503);
      expect(await get('/livez')).toBe(200);
      await own?.start();
      await restarted;
      await eventually(async () => {
        if (!said.includes('answers again')) throw new Error(`not again: ${said}`);
      });
      await answers('/healthz', 200);
      expect(said.match(/is away/g), said).toHaveLength(1);
    } finally {
      worker.kill('SIGTERM');
      await worker.done;
      await Promise.all([postgres?.stop(), own?.stop()]);
    }
  },
);

test('a worker that is stopped while its server is away ends, and does not wait for it', async () => {
  const postgres = await startPostgres();
  const portFile = join(project, 'stopped-alone');
  const worker = start(project, ['worker', '--profile', 'demo', '--grace', '1', '--port-file', portFile], {
    ...env,
    TANDEM_QUEUE: postgres.url,
  });
  let said = '';
  worker.stderr?.on('data', (text: string) => (said += text));
  await portIn(portFile);
  await postgres.stop();
  await eventually(async () => expect(said).toContain('is away'));
  worker.kill('SIGTERM');
  expect((await worker.done).code).toBe(143);
});

test('a worker that is stopped while it asks the endpoint for the first time gives the step back: no run has failed', async () => {
  const desk = await relayedDesk();
  const shared = {
    ...{ ANTHROPIC_BASE_URL: desk.url, ANTHROPIC_API_KEY: 'offline-key' },
    TANDEM_QUEUE: `${redis.url}?space=stopped_early`,
  };
  const begin = () => start(desk.project, ['worker', '--profile', 'fast', '--grace', '5'], shared);
  try {
    const first = begin();
    const toGate = ['run', 'desk', '--id', 'early', '--profile', 'fast', '--on-gate', 'exit'];
    expect(await tandem(desk.project, toGate, shared)).toMatchObject({ code: 4 });
    first.kill('SIGTERM');
    await first.done;
    const digest = await digestAt(desk.project, 'early');
    await tandem(desk.project, ['gates', 'approve', 'early', '--digest', digest, '--accept'], shared);
    const asked = Promise.withResolvers<ServerResponse>();
    desk.meddle(({ path }) => (path.startsWith('/v1/models?') ? asked.resolve : undefined));
    const stopped = begin();
    const held = await asked.promise;
    let said = '';
    stopped.stderr?.on('data', (text: string) => (said += text));
    stopped.kill('SIGTERM');
    await eventually(async () => expect(said).toContain('Taking nothing more'));
    held.destroy();
    expect((await stopped.done).code).toBe(143);
    expect(said).not.toContain('errored');
    const status = lastJson(await tandem(desk.project, ['status', 'early', '--json'], shared));
    expect(status, said).toMatchObject({ status: 'executing' });
  } finally {
    await desk.close();
  }
});

test('a launcher under an older Node passes SIGTERM on, and ends as the worker did', async () => {
  const old = process.env['TANDEM_OLD_NODE'] ?? 'node';
  const portFile = join(project, 'launched');
  const args = ['worker', '--profile', 'demo', '--port-file', portFile];
  const PATH = (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':');
  const launched = spawn(old, [resolve('bin/tandem.js'), ...args], {
    ...{ cwd: project, stdio: ['ignore', 'ignore', 'pipe'] },
    env: { ...env, PATH, HOME: process.env['HOME'] },
  });
  let said = '';
  launched.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<number | null>((settle) => launched.once('close', settle));
  await portIn(portFile);
  launched.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(said).toContain('Stopped.');
});

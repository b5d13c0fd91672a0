/** PostgreSQL cuts every connection while things start: worker, page, batch and run wait for queue and store alike, and go on. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILED, makeProject, start, tandem } from '../support/cli.ts';
import { startPostgres } from '../support/servers.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';

/** Longer than the first pauses of who waits. */
const AWAY_MS = 2_000;
const GATE = ['--on-gate', 'auto:demo'];

/** Resolves when the process waits for its server, or has ended. */
function waitForWords(child: ReturnType<typeof start>): Promise<void> {
  return new Promise((resolve) => {
    for (const stream of [child.stderr, child.stdout])
      stream?.on('data', (text: string) => void (text.includes(' is away') && resolve()));
    void child.done.then(() => resolve());
  });
}

/** `bytes`: none, and what the server says while a session begins. */
test.each([
  { homes: ['TANDEM_QUEUE', 'TANDEM_STORE'], bytes: 600 },
  { homes: ['TANDEM_QUEUE'], bytes: 0 },
])('$homes, cut after $bytes bytes', async ({ homes, bytes }) => {
  const [server, project, cache] = await Promise.all([
    startPostgres(),
    makeProject(),
    mkdtemp(join(tmpdir(), 'tandem-start-')),
  ]);
  const relay = await startTcpRelay(server.port);
  onTestFinished(async () => {
    await relay.close();
    await server.stop();
    await rm(cache, { recursive: true, force: true });
  });
  await tandem(project, ['init', 'desk']);
  const url = server.url.replace(String(server.port), String(relay.port));
  const env = { ...Object.fromEntries(homes.map((name) => [name, url])), ...COMPILED };
  relay.cutAfter(bytes);

  const portFile = join(cache, 'port');
  const worker = start(project, ['worker', '--grace', '0', '--port-file', portFile], env);
  const page = start(project, ['serve', '--listen', '127.0.0.1:0'], env);
  let link = '';
  page.stdout?.on('data', (text: string) => (link += text));
  const batch = start(project, ['batch', 'desk', '--id', 'many', '--runs', '1', ...GATE, '--json'], env);
  const run = start(project, ['run', 'desk', '--id', 'one', ...GATE, '--json'], env);
  await Promise.all([worker, batch, run].map(waitForWords));
  await delay(AWAY_MS);
  expect([worker, page, batch, run].map(({ exitCode }) => exitCode)).toEqual([null, null, null, null]);
  relay.goOn();

  const statuses = (await Promise.all([batch.done, run.done])).map(({ code, stderr }) => ({ code, stderr }));
  expect(statuses).toMatchObject([{ code: 0 }, { code: 0 }]);
  for (const { stderr } of statuses) {
    expect(stderr).not.toContain('    at ');
  }
  const health = await fetch(`http://127.0.0.1:${(await readFile(portFile, 'utf8')).trim()}/healthz`);
  expect(health.status).toBe(200);
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(link) ?? [];
  expect((await fetch(address)).status).toBeLessThan(400);
  for (const child of [worker, page]) child.kill('SIGTERM');
  await Promise.all([worker.done, page.done]);
});

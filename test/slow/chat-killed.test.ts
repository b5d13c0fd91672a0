/** A chat that is killed in mid-call: whoever comes next settles for it, and the rest of the budget is there to be spent. */
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stateOf } from '../../src/pipeline/drive/drive.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { eachWaiting } from '../support/asking.ts';
import { start, tandem } from '../support/cli.ts';
import { decide } from '../support/project.ts';

const here = eachWaiting();
const CAP = 5;

/** Takes a request, begins an answer as the API does, and never goes on. */
let server: Server;
let arrived: PromiseWithResolvers<void>;
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.url !== '/v1/messages') return void response.writeHead(404).end('{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': so far\n\n');
    return arrived.resolve();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
beforeEach(() => {
  arrived = Promise.withResolvers();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (run: RunFolder) => ['chat', run.id, '--message', 'Which rules are there?'];
const booksOf = async (run: RunFolder) =>
  (await (await here.app.deps.store.open(run.id)).spending.list()).filter(({ agent }) => agent === 'chat');

/** Resolves with the worst case that the dead chat had reserved. */
async function killedInMidCall(run: RunFolder): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const env = { USER: 'ada', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'any' };
  const child = start(here.project.dir, ask(run), env);
  await Promise.race([arrived.promise, child.done.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  child.kill('SIGKILL');
  await child.done;
  const [left, ...more] = await booksOf(run);
  expect([left?.failed, more, await readdir(join(run.dir, 'asking'))]).toEqual([
    0,
    [],
    [expect.stringContaining('.json')],
  ]);
  return left?.reservedUsd ?? 0;
}

test('the next chat counts its worst case, says so, and has all the rest', async () => {
  const { run } = here;
  const worst = await killedInMidCall(run);
  expect(worst).toBeGreaterThan(0);
  const next = await tandem(here.project.dir, ask(run), { USER: 'ada' });
  expect(next.stdout, next.stderr).toContain('twice at most (R2)');
  expect(next.stderr).toContain(`cut off in mid-call: up to $${worst.toFixed(2)} may have been paid for it`);
  const books = await booksOf(run);
  expect(books[0]).toMatchObject({ usd: 0, uncertainUsd: worst, failed: 1 });
  expect(books.every(({ reservedUsd }) => reservedUsd === 0)).toBe(true);
  expect(await readdir(join(run.dir, 'asking'))).toEqual([]);
  // Everything that is not spent can be reserved, and not a cent more.
  const { spending } = await here.app.deps.store.open(run.id);
  const spent = (await spending.list()).reduce((sum, one) => sum + one.usd + one.uncertainUsd, 0);
  const call = { call: 'all-the-rest', agent: 'execute', model: 'm' };
  await expect(spending.reserve({ ...call, worstUsd: CAP - spent + 0.01 }, CAP)).rejects.toMatchObject({
    code: 'budget_exceeded',
  });
  await spending.reserve({ ...call, worstUsd: CAP - spent }, CAP);
});

test('the run itself counts it when it goes on, once, however often somebody looks', async () => {
  const { run, app } = here;
  const worst = await killedInMidCall(run);
  await decide(app, await stateOf(run.id, app.deps), 'approve', { run: run.dir, nonce: run.id });
  for (const _ of [1, 2]) await tandem(here.project.dir, ['resume', run.id, '--on-gate', 'exit'], { USER: 'ada' });
  expect(await booksOf(run)).toMatchObject([{ usd: 0, uncertainUsd: worst, failed: 1 }]);
  expect(await readdir(join(run.dir, 'asking'))).toEqual([]);
  expect((await stateOf(run.id, app.deps)).status).toBe('succeeded');
});

test('a live one is left alone by whoever asks beside it', async () => {
  const { run } = here;
  const { port } = server.address() as AddressInfo;
  const env = { USER: 'ada', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'any' };
  const child = start(here.project.dir, ask(run), env);
  await arrived.promise;
  const next = await tandem(here.project.dir, ask(run), { USER: 'bob' });
  expect(next.stdout, next.stderr).toContain('twice at most (R2)');
  expect(next.stderr).not.toContain('cut off');
  expect((await booksOf(run)).filter(({ reservedUsd }) => reservedUsd > 0)).toHaveLength(1);
  // Whoever hangs up has paid for what was sent.
  child.kill('SIGINT');
  await child.done;
  expect((await booksOf(run)).filter(({ uncertainUsd }) => uncertainUsd > 0)).toHaveLength(1);
  expect(await readdir(join(run.dir, 'asking'))).toEqual([]);
});

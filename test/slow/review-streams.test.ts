/** Open pages of many runs: streams that are told news without an error, a cap that says when to come again, and sockets that time out. */
import { cp, link, mkdir, readdir } from 'node:fs/promises';
import { Agent, get, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startListening, type RunningServer } from '../../src/web/listen.ts';
import type { Review } from '../../src/web/create-review.ts';
import { openDesk, TOKEN, type Desk } from '../web/desk.ts';

/** `TANDEM_STORMS=full`: 500 streams over 10,000 runs. */
const full = process.env['TANDEM_STORMS'] === 'full';
const RUNS = full ? 10_000 : 400;
const STREAMS = full ? 500 : 250;
const REST_MS = full ? 20_000 : 4000;
const MOST_READERS = 600;

let desk: Desk;
let server: RunningServer;
let review: Review;
beforeAll(async () => {
  desk = await openDesk();
  const first = await desk.waiting('run-0');
  const runs = join(first.dir, '..');
  await cp(first.dir, join(runs, 'run-1'), { recursive: true });
  // Of the others only the journal is read; links to its events are made in a moment.
  const events = await readdir(join(first.dir, 'events'));
  for (let index = 2; index < RUNS; index += 1) {
    const folder = join(runs, `run-${index}`, 'events');
    await mkdir(folder, { recursive: true });
    await Promise.all(events.map((name) => link(join(first.dir, 'events', name), join(folder, name))));
  }
  const hosts: string[] = [];
  review = desk.review({ hosts });
  server = await startListening(review, { host: '127.0.0.1', port: 0, requestMs: 1500 });
  hosts.push(`127.0.0.1:${server.port}`);
}, 600_000);
afterAll(async () => {
  await server.close();
  await desk.remove();
});

const headers = { authorization: `Bearer ${TOKEN}` };
const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

type Open = { codes: Map<number, number>; told: () => number; retry: Set<string>; close: () => void };

/** Resolves when each of them was answered, and each that was let in has heard how its run stands. */
async function open(count: number): Promise<Open> {
  const agent = new Agent({ maxSockets: count });
  const codes = new Map<number, number>();
  const told = new Set<number>();
  const retry = new Set<string>();
  const sent = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const path = `/runs/run-${index % RUNS}/live`;
      return new Promise<ReturnType<typeof get>>((settle, fail) => {
        const asked = get({ port: server.port, host: '127.0.0.1', path, headers, agent }, (response) => {
          const code = response.statusCode ?? 0;
          codes.set(code, (codes.get(code) ?? 0) + 1);
          if (code !== 200) {
            retry.add(String(response.headers['retry-after']));
            response.resume();
            settle(asked);
            return;
          }
          response.setEncoding('utf8').on('error', () => undefined);
          response.on('data', (text: string) => {
            if (!text.includes('"length"')) return;
            told.add(index);
            settle(asked);
          });
        });
        asked.on('error', (error) => (told.has(index) ? undefined : fail(error)));
      });
    }),
  );
  return { codes, retry, told: () => told.size, close: () => (sent.forEach((one) => one.destroy()), agent.destroy()) };
}

test(`${STREAMS} streams over ${RUNS} runs: each is answered and told, and at rest they cost next to nothing`, async () => {
  const before = await openFiles();
  const begun = performance.now();
  const streams = await open(STREAMS);
  console.info(`${STREAMS} were told after ${Math.round(performance.now() - begun)} ms`);
  expect([...streams.codes]).toEqual([[200, STREAMS]]);
  expect(streams.told()).toBe(STREAMS);
  const used = process.cpuUsage();
  await new Promise((settle) => setTimeout(settle, REST_MS));
  const { user, system } = process.cpuUsage(used);
  const share = (user + system) / 1000 / REST_MS;
  const mib = process.memoryUsage().rss / 2 ** 20;
  console.info(
    `at rest ${(100 * share).toFixed(1)} % of a core, ${Math.round(mib)} MiB, ${(await openFiles()) - before} files more`,
  );
  // The clients of this test live in the same process.
  expect(share).toBeLessThan(0.1);
  // Two sockets a stream, both ends being here.
  expect(await openFiles()).toBeLessThan(before + 2 * STREAMS + 60);
  streams.close();
  await until(() => review.watched() === 0);
}, 300_000);

test('beyond the cap each is told when to come again, and pages are served all the same', async () => {
  const streams = await open(MOST_READERS + 150);
  expect([...streams.codes].toSorted(([one], [other]) => one - other)).toEqual([
    [200, MOST_READERS],
    [503, 150],
  ]);
  expect([...streams.retry]).toEqual(['30']);
  expect(await fetched('/runs/run-1')).toBe(200);
  streams.close();
  await until(() => review.watched() === 0);
}, 120_000);

test('a body that does not come ends its connection, also before anybody has signed in', async () => {
  // Left to itself it would go on for as long as it drips.
  await new Promise<void>((settle) => {
    const slow = request({
      port: server.port,
      host: '127.0.0.1',
      path: '/sign-in',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '2000' },
    });
    const drip = setInterval(() => slow.write('x'), 200);
    slow.on('response', (response) => response.resume());
    slow.on('error', () => undefined);
    slow.on('close', () => {
      clearInterval(drip);
      settle();
    });
    slow.write('token=');
  });
}, 60_000);

function fetched(path: string): Promise<number> {
  return new Promise((settle, fail) => {
    get({ port: server.port, host: '127.0.0.1', path, headers }, (response) => {
      response.resume().on('end', () => settle(response.statusCode ?? 0));
    }).on('error', fail);
  });
}

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 90_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('it did not come to pass');
    await new Promise((settle) => setTimeout(settle, 20));
  }
}

/**
 * Many at once, bounded and on loopback: 500 pages that listen, 1 000 answers to one gate; and a design that is large.
 * Its small sibling in CI: test/slow/review-streams.test.ts.
 */
import { Agent, get, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startListening, type RunningServer } from '../../src/web/listen.ts';
import { openDesk, TOKEN, type Desk } from '../web/desk.ts';

const READERS = 500;
const ANSWERS = 1000;
const AT_ONCE = 100;

let desk: Desk;
let server: RunningServer;
let watched: () => number;
let hosts: string[];

beforeAll(async () => {
  desk = await openDesk();
  hosts = [];
  const review = desk.review({ hosts });
  watched = review.watched;
  server = await startListening(review, { host: '127.0.0.1', port: 0 });
  hosts.push(`127.0.0.1:${server.port}`);
});
afterAll(async () => {
  await server.close();
  await desk.remove();
});

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

test(`${READERS} open pages hear of an event, over one watcher`, async () => {
  const run = await desk.waiting('run-1');
  const heard = new Set<number>();
  const first = new Set<number>();
  const agent = new Agent({ maxSockets: READERS });
  const streams = Array.from({ length: READERS }, (_, index) =>
    get({ port: server.port, host: '127.0.0.1', path: '/runs/run-1/live', headers, agent }, (response) => {
      response.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('"length":3')) first.add(index);
        if (text.includes('"length":4')) heard.add(index);
      });
      response.on('error', () => undefined);
    }).on('error', () => undefined),
  );
  await until(() => first.size === READERS);
  expect(watched()).toBe(1);
  await run.journal.append({ type: 'run.cancelled', detail: '' }, 'user:ada', 3);
  await until(() => heard.size === READERS);
  for (const stream of streams) stream.destroy();
  agent.destroy();
  await until(() => watched() === 0);
}, 120_000);

test(`${ANSWERS} answers at once are one decision, and everybody else is told whose`, async () => {
  const run = await desk.waiting('run-2');
  const digest = (await desk.state(run)).designs[0]?.digest ?? '';
  const answers = Array.from({ length: ANSWERS }, (_, index) =>
    JSON.stringify({
      digest,
      decision: index % 2 === 0 ? 'approve' : 'request_changes',
      comment: `answer ${index}`,
      nonce: `nonce-${index}-xyz`,
    }),
  );
  const agent = new Agent({ maxSockets: AT_ONCE, keepAlive: true });
  const codes = await Promise.all(answers.map((body) => post('/api/gates/run-2.HITL-1.r1/decision', body, agent)));
  agent.destroy();
  const count = (code: number) => codes.filter((one) => one === code).length;
  expect([count(200), count(409)]).toEqual([1, ANSWERS - 1]);
  expect((await desk.state(run)).decisions).toHaveLength(1);
});

test('the decision screen of 200 rules takes the processor 300 ms at most, also in a project of 100 runs', async () => {
  const text = 'Refunds for damaged or wrong goods are paid to the customer, also when a gift card paid. '.repeat(2);
  const rules = Array.from({ length: 200 }, (_, index) => ({
    id: `R${index + 1}`,
    title: `Rule ${index + 1}`,
    text: `${text}${index}`,
  }));
  const changed = rules.map((rule) => ({ ...rule, text: rule.text.replace('damaged', 'broken') }));
  for (let index = 0; index < 100; index += 1) await desk.waiting(`other-${index}`);
  await desk.waiting('large', [{ rules }, { rules: changed }]);
  const times: number[] = [];
  for (let visit = 0; visit < 5; visit += 1) {
    const before = process.cpuUsage();
    expect(await fetched('/runs/large/gates/HITL-1.r2')).toBe(200);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  const median = times.toSorted((one, other) => one - other)[2] ?? 0;
  console.info(`the screen took ${Math.round(median)} ms`);
  expect(median).toBeLessThan(300);
}, 120_000);

async function until(done: () => boolean): Promise<void> {
  const end = Date.now() + 90_000;
  while (!done()) {
    if (Date.now() > end) throw new Error('it did not come to pass');
    await new Promise((settle) => setTimeout(settle, 20));
  }
}

function post(path: string, body: string, agent: Agent): Promise<number> {
  return new Promise((settle, fail) => {
    const sent = request({ port: server.port, host: '127.0.0.1', path, method: 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => settle(response.statusCode ?? 0));
    });
    sent.on('error', fail).end(body);
  });
}

function fetched(path: string): Promise<number> {
  return new Promise((settle, fail) => {
    get({ port: server.port, host: '127.0.0.1', path, headers }, (response) => {
      response.resume().on('end', () => settle(response.statusCode ?? 0));
    }).on('error', fail);
  });
}

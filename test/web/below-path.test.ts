/** The page below a path of its host: a mailed link leads to it, every link on it stays below, and a proxy may take the path away. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLinks } from '../../src/app/notices/subjects.ts';
import { Reviewers } from '../../src/config/reviewers.ts';
import { stranger, type Client } from './client.ts';
import { openDesk, TOKEN, type Desk } from './desk.ts';

const reviewers = {
  base_url: 'https://desk.test:7420/tools/tandem/',
  reviewers: [{ name: 'ada', email: 'ada@example.org' }],
};
let desk: Desk;
let client: Client;
beforeEach(async () => {
  desk = await openDesk();
  client = stranger(desk.review({ reviewers }));
});
afterEach(async () => {
  await desk.remove();
});

/** Every address of a page that leads to this host. */
const addresses = (text: string): string[] =>
  [...text.matchAll(/\s(?:href|src|action|formaction|data-live)="(\/[^"]*)"|content="0;url=(\/[^"]*)"/g)].map(
    ([, one, other]) => one ?? other ?? '',
  );

test('a mailed link signs in and leads on, below the path, whether the proxy takes it away or not', async () => {
  const run = await desk.waiting('run-1');
  const { digest = '' } = (await desk.state(run)).designs[0] ?? {};
  const links = createLinks({
    base: reviewers.base_url.replace(/\/+$/, ''),
    reviewers: Reviewers.parse({ version: 1, ...reviewers }),
    secret: 'a secret of the test',
    clock: desk.clock,
  });
  const facts = { run: 'run-1', scenario: 'refund-desk', gate: 'HITL-1.r1', digest, title: '', text: '', at: '' };
  const [mail] = links({ id: 'x', kind: 'opened', waits: true, ...facts }).recipients;
  const { pathname, search } = new URL(mail?.url ?? '');
  expect([pathname, mail?.signed]).toEqual(['/tools/tandem/sign-in', true]);
  for (const path of [pathname, '/sign-in']) {
    const page = await client.get(path + search);
    expect(page.text).toContain('Signed in as ada');
    expect(addresses(page.text)).toContain('/tools/tandem/runs/run-1/gates/HITL-1.r1');
    expect(addresses(page.text).filter((to) => !to.startsWith('/tools/tandem/'))).toEqual([]);
  }
  for (const place of ['/tools/tandem/runs/run-1/gates/HITL-1.r1', '/runs/run-1/gates/HITL-1.r1']) {
    const page = await client.get(place);
    expect(page.status).toBe(200);
    expect(addresses(page.text).filter((to) => !to.startsWith('/tools/tandem/'))).toEqual([]);
  }
  const sent = await client.send('/tools/tandem/runs/run-1/gates/HITL-1.r1', { decision: 'approve' });
  expect([sent.status, sent.headers.get('location')?.slice(0, 19)]).toEqual([303, '/tools/tandem/runs/']);
});

test('who is sent to sign in comes back to where they wanted to go', async () => {
  await desk.waiting('run-1');
  const page = await client.get('/tools/tandem/runs?x=1');
  expect(page.status).toBe(401);
  expect(page.text).toContain('name="to" value="/runs?x=1"');
  const { text } = await client.get(`/sign-in?token=${TOKEN}&to=${encodeURIComponent('/runs?x=1')}`);
  expect(addresses(text)).toContain('/tools/tandem/runs?x=1');
  const list = await client.get('/runs');
  expect(addresses(list.text)).toContain('/tools/tandem/runs/run-1');
});

test('the path by itself is the first page, and one that only begins like it is not', async () => {
  await desk.waiting('run-1');
  await client.get(`/sign-in?token=${TOKEN}`);
  for (const path of ['/tools/tandem', '/tools/tandem/', '/'])
    expect((await client.get(path)).text).toContain('1 design waits for a decision');
  expect((await client.get('/tools/tandem2')).status).toBe(404);
});

test('at the root nothing is changed', async () => {
  await desk.waiting('run-1');
  const plain = stranger(desk.review());
  await plain.get(`/sign-in?token=${TOKEN}`);
  expect(addresses((await plain.get('/runs')).text)).toContain('/runs/run-1');
});

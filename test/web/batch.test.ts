/** The page of a batch: what waits and reads the same, every run, the news, and one decision each. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { changedNews, newsOfBatch, type BatchNews } from '../../src/web/read/batch-rows.ts';
import { createBatchWatchers } from '../../src/web/read/watch-batch.ts';
import { openBatches } from '../../src/app/web/open-batches.ts';
import { sealSignIn } from '../../src/web/guard/sign-in-session.ts';
import { createSigner } from '../../src/web/guard/signer.ts';
import { bearer, signedIn } from './client.ts';
import { HOST, RULES, type Desk } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const other = [{ rules: [{ ...RULES[0], text: 'Ask for the name before anything else, and then for the postcode.' }] }];

describe('the page of a batch', () => {
  beforeEach(async () => {
    await desk.waiting('b-001');
    await desk.waiting('b-002');
    await desk.waiting('b-003', other as Parameters<Desk['waiting']>[1]);
    await desk.waiting('elsewhere', other as Parameters<Desk['waiting']>[1]);
    await desk.batch('b', ['b-001', 'b-002', 'b-003', 'b-004']);
  });

  test('shows every run, those that have not begun too, and the gates by what they ask for', async () => {
    const { status, text } = await (await signedIn(desk.review())).get('/batches/b');
    expect(status).toBe(200);
    for (const run of ['b-001', 'b-002', 'b-003', 'b-004']) expect(text).toContain(`data-run="${run}"`);
    expect(text).toContain('3 waiting at a gate · 1 not finished');
    expect(text).toContain('href="/runs/b-001/gates/HITL-1.r1?also=all"');
    expect(text).toContain('Read it once, answer both gates');
    expect(text).toMatch(/href="\/runs\/b-003\/gates\/HITL-1.r1"[^>]*>\s*Read “b-003” and decide/);
    expect(text).toContain('>not started<');
    expect(text).not.toContain('href="/runs/b-004"');
    expect(text).not.toContain('elsewhere');
  });

  test('what reads the same is ticked for who came to answer all, and each gate gets a decision of its own', async () => {
    const client = await signedIn(desk.review());
    const path = '/runs/b-001/gates/HITL-1.r1';
    expect((await client.get(path)).text).not.toContain('checked />');
    const ticked = (await client.get(`${path}?also=all`)).text;
    const [, also = ''] = /name="also" value="([^"]+)" checked/.exec(ticked) ?? [];
    expect(also).toMatch(/^b-002\.HITL-1\.r1 /);
    const sent = await client.send(path, { decision: 'approve', comment: 'fine', also }, { from: `${path}?also=all` });
    expect(sent.status).toBe(303);
    const states = await Promise.all(
      ['b-001', 'b-002', 'b-003'].map(async (id) => desk.state(await desk.store.open(id))),
    );
    expect(states.map(({ status }) => status)).toEqual(['executing', 'executing', 'awaiting_approval']);
    expect(states.map(({ decisions }) => decisions.length)).toEqual([1, 1, 0]);
    expect(states[1]?.decisions[0]?.comment).toContain('approved together with b-001');
    expect((await client.get('/batches/b')).text).toContain('1 waiting at a gate · 3 not finished');
  });

  test('is led to from the list, from the queue and from its runs', async () => {
    const client = await signedIn(desk.review());
    for (const place of ['/batches', '/', '/runs/b-002'])
      expect((await client.get(place)).text, place).toContain('href="/batches/b"');
  });

  test('has its rows on pages', async () => {
    const many = Array.from({ length: 150 }, (_, index) => `many-${index}`);
    await desk.batch('many', many);
    const client = await signedIn(desk.review());
    const first = (await client.get('/batches/many')).text;
    expect(first).toContain('data-run="many-99"');
    expect(first).not.toContain('data-run="many-100"');
    expect(first).toContain('href="/batches/many?page=2#runs"');
    expect((await client.get('/batches/many?page=2')).text).toContain('data-run="many-149"');
    expect((await client.get('/batches/many?page=999')).text).toContain('data-run="many-149"');
  });
});

test('a batch that is broken or not there is named, and leads nowhere', async () => {
  await desk.batch('good', ['x']);
  await writeFile(join(desk.root, 'batches/broken.json'), '{');
  const client = await signedIn(desk.review());
  expect((await client.get('/batches')).text).toContain('cannot be read');
  const broken = await client.get('/batches/broken');
  expect([broken.status, broken.text.includes('batches/broken.json')]).toEqual([500, true]);
  for (const path of ['/batches/none', '/batches/..%2f..%2fetc', '/batches/__proto__', `/batches/${'a'.repeat(90)}`])
    expect((await client.get(path)).status, path).toBe(404);
});

test('a mailed link opens its gate and no batch', async () => {
  await desk.waiting('b-001');
  await desk.batch('b', ['b-001']);
  const only = { gate: 'b-001.HITL-1.r1', digest: 'd'.repeat(64) };
  const until = desk.clock.now().getTime() + 60_000;
  const link = sealSignIn({ id: 'a-mailed-link', name: 'ada', only, until }, createSigner('a secret of the test'));
  const client = await signedIn(desk.review(), link);
  expect((await client.get('/runs/b-001/gates/HITL-1.r1')).status).toBe(200);
  for (const path of ['/batches', '/batches/b', '/batches/b/live'])
    expect((await client.get(path)).status, path).toBe(403);
});

describe('news of a batch', () => {
  test('are told to an open page, of the rows that it shows and of no others', async () => {
    await desk.waiting('b-001');
    await desk.batch('b', ['b-001', ...Array.from({ length: 120 }, (_, index) => `later-${index}`)]);
    const { app } = desk.review();
    const headers = { host: HOST, ...bearer() };
    const response = await app.request(`http://${HOST}/batches/b/live?page=1`, { headers });
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('\n\n')) text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(text).toMatch(/^event: batch\n/);
    expect(text).toContain('"run":"b-001"');
    expect(text).toContain('"run":"later-98"');
    expect(text).not.toContain('"run":"later-99"');
  });

  test('are the whole at first, and then only what is new', async () => {
    const run = await desk.waiting('b-001');
    await desk.waiting('b-002');
    await desk.batch('b', ['b-001', 'b-002']);
    const batches = openBatches(desk.read);
    const before = newsOfBatch((await batches.read('b')).summary);
    await run.journal.append({ type: 'run.cancelled', detail: '' }, 'user:ada', 3);
    const now = newsOfBatch((await batches.read('b')).summary);
    const news = changedNews(before, now);
    expect(news?.rows.map(({ run: id, cells }) => [id, cells['status']])).toEqual([['b-001', 'cancelled']]);
    expect(news?.waiting).not.toBe(before.waiting);
    expect(changedNews(now, newsOfBatch((await batches.read('b')).summary))).toBeUndefined();
  });

  test('come over one watcher for all readers, which ends with the last of them', async () => {
    await desk.waiting('b-001');
    await desk.batch('b', ['b-001']);
    const batches = openBatches(desk.read);
    const watchers = createBatchWatchers(batches);
    const told: BatchNews[] = [];
    const first = await new Promise<{ stop: () => void }>((settle) => {
      const one: { stop: () => void } = watchers.follow('b', (news) => {
        told.push(news);
        settle(one);
      });
    });
    const second = watchers.follow('b', (news) => told.push(news));
    expect([watchers.count(), told.length]).toEqual([1, 2]);
    first.stop();
    expect(watchers.count()).toBe(1);
    second.stop();
    expect(watchers.count()).toBe(0);
  });
});

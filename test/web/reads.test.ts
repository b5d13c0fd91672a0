/** What one approval on the page costs in reads: each request lists the runs once, and the journal is read whole once. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bearer, stranger } from './client.ts';
import { HOST, openDesk, TOKEN, type Desk } from './desk.ts';

const GATE = '/runs/run-1/gates/HITL-1.r1';
let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.remove());

test('look, approve, and look again: one list a request, and at most two whole reads of the journal', async () => {
  await desk.waiting('run-1');
  const client = stranger(desk.review());
  await client.send('/sign-in', { token: TOKEN });
  let whole = 0;
  let further = 0;
  const open = desk.store.open.bind(desk.store);
  const watched = new Set<string>();
  vi.spyOn(desk.store, 'open').mockImplementation(async (name) => {
    const run = await open(name);
    if (watched.has(run.dir)) return run;
    watched.add(run.dir);
    const read = run.journal.read.bind(run.journal);
    vi.spyOn(run.journal, 'read').mockImplementation((after) => {
      if (after === undefined) whole += 1;
      else further += 1;
      return read(after);
    });
    return run;
  });
  const lists = vi.spyOn(desk.store, 'list');
  // The client reads the form, posts it, and follows the redirect.
  const answered = await client.send(GATE, { decision: 'approve' });
  expect(answered.status).toBe(303);
  await client.get(answered.headers.get('location') ?? '');
  expect((await desk.state(await open('run-1'))).status).toBe('executing');
  expect({ whole, lists: lists.mock.calls.length }).toEqual({ whole: 1, lists: 3 });
  expect(further).toBeLessThanOrEqual(4);
});

test('a project with more gates than a page shows: the page opens those that wait longest, and counts all', async () => {
  const { dir } = await desk.waiting('run-0');
  for (let index = 1; index < 430; index += 1) cpSync(dir, join(dir, `../run-${index}`), { recursive: true });
  const opened = vi.spyOn(desk.store, 'open');
  const { app } = desk.review();
  const page = async (path: string): Promise<string> =>
    (await app.request(`http://${HOST}${path}`, { headers: { host: HOST, ...bearer() } })).text();
  const gatesOf = (text: string): string[] => [...new Set(text.match(/\/runs\/run-\d+\/gates/g))];
  const first = await page('/');
  expect(first).toContain('430 designs wait for a decision');
  expect(first).toMatch(/page 1 of 2[\s\S]*href="\/\?from=400">next/);
  expect(new Set(opened.mock.calls.map(([name]) => name)).size).toBe(400);
  const second = await page('/?from=400');
  expect(second).toContain('430 designs wait for a decision');
  expect(second).toMatch(/href="\/">‹ previous[\s\S]*page 2 of 2/);
  expect([gatesOf(first).length, gatesOf(second).length]).toEqual([400, 30]);
  expect(new Set([...gatesOf(first), ...gatesOf(second)]).size).toBe(430);
});

/** What is told of runs, batches and workers besides their gates: how they ended, stopped, or fell silent. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noticeSubjects } from '../../../src/app/notices/subjects.ts';
import { openRunIndex } from '../../../src/run-folder/run-index.ts';
import type { EventBody } from '../../../src/run/event.ts';
import { announceWorker, seenWorkers } from '../../../src/worker/presence.ts';
import { openDesk, type Desk } from '../../web/desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(async () => {
  await desk.remove();
});

async function ended(id: string, body: EventBody): Promise<void> {
  const run = await desk.waiting(id);
  await run.journal.append(body, 'worker:test', (await run.journal.read()).length);
}
const cancelled: EventBody = { type: 'run.cancelled', detail: '' };
const failed: EventBody = { type: 'step.failed', step: 'design.r2', code: 'data_corrupt', message: 'no', final: true };

async function due(): Promise<string[]> {
  const read = desk.read;
  const subjects = await noticeSubjects((await openRunIndex(desk.store).look()).runs, read);
  const all = await Promise.all(subjects.map((subject) => subject.due()));
  return all.flat().map(({ id, kind, text }) => `${id} ${kind} ${text}`);
}

test('a run that ended, one that stopped for money and one that failed; a pause that a person made is none', async () => {
  await ended('run-1', cancelled);
  await ended('run-2', { type: 'run.paused', reason: 'budget', detail: 'the cap of $5 is reached' });
  await ended('run-3', { type: 'run.paused', reason: 'user', detail: '' });
  await ended('run-4', failed);
  expect((await due()).toSorted()).toEqual([
    'run-1.ended ended refund-desk has ended: cancelled.',
    'run-2.paused.3 paused refund-desk is paused (money): the cap of $5 is reached',
    'run-4.errored.3 errored refund-desk stopped at design.r2 (data_corrupt): no Then: tandem resume.',
  ]);
});

test('a batch once all of its runs rest, and then not each of them', async () => {
  await ended('run-1', cancelled);
  await desk.waiting('run-2');
  await desk.batch('night', ['run-1', 'run-2']);
  expect(await due()).toHaveLength(1);
  const run = await desk.store.open('run-2');
  await run.journal.append(cancelled, 'user:ada', (await run.journal.read()).length);
  expect(await due()).toEqual(['batch.night.ended batch_ended Batch night has ended: 2 cancelled.']);
});

test('a worker that is silent without having left, once, and it is swept two days later', async () => {
  const { shared } = desk.read;
  await mkdir(join(desk.root, 'scenarios'), { recursive: true });
  const open = (worker: string) => announceWorker(shared, { worker, program: '0.2.0', lanes: ['init'] }, desk.clock);
  const [killed, stopped] = [open('host-1'), open('host-2')];
  await Promise.all([killed.renew(), stopped.renew()]);
  await stopped.leave();
  expect(await due()).toEqual([]);
  desk.clock.pass(121_000);
  const [notice = ''] = await due();
  expect(notice).toContain('worker.host-1.2026-11-20T10:00:00.000Z.lost worker_lost Worker host-1 (Tandem 0.2.0)');
  await killed.renew();
  expect(await due()).toEqual([]);
  desk.clock.pass(49 * 3_600_000);
  expect(await due()).toEqual([]);
  expect(await seenWorkers(shared, desk.clock)).toEqual([]);
});

test('a job that waits for half an hour, once an hour and lane; one that waits for a minute is none', async () => {
  await mkdir(join(desk.root, 'scenarios'), { recursive: true });
  const about = { worker: 'host-1', program: '0.2.0', lanes: ['execute'] };
  const worker = announceWorker(desk.read.shared, about, desk.clock);
  const since = desk.clock.now().toISOString();
  const waits = [{ lane: 'execute', since }];
  desk.clock.pass(60_000);
  await worker.renew(waits);
  expect(await due()).toEqual([]);
  for (const minutes of [30, 10]) {
    desk.clock.pass(minutes * 60_000);
    await worker.renew(waits);
    expect(await due()).toEqual([
      expect.stringMatching(
        new RegExp(`^queue\\.execute\\.${since.slice(0, 13)}\\.waits jobs_wait A job of execute has waited`),
      ),
    ]);
  }
  await worker.renew();
  expect(await due()).toEqual([]);
});

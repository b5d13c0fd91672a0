/** How long jobs wait is known from what workers last said; where none lives, from the runs that were left to workers. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listOldestJobs, announceWorker } from '../../src/worker/presence.ts';
import { created, started } from '../support/run-events.ts';
import { openDesk } from '../web/desk.ts';

const [NINE, TEN] = ['2026-11-20T09:00:00.000Z', '2026-11-20T10:00:00.000Z'];

test('the oldest job of each lane, over all living workers', async () => {
  const desk = await openDesk();
  try {
    const { read, clock } = desk;
    const announce = (worker: string) => announceWorker(read.shared, { worker, program: '0.1.0', lanes: [] }, clock);
    const [one, other] = [announce('a'), announce('b')];
    expect(await listOldestJobs(read)).toEqual([]);
    await one.renew([
      { lane: 'execute', since: TEN },
      { lane: 'samples', since: TEN },
    ]);
    await other.renew([{ lane: 'execute', since: NINE }]);
    expect(await listOldestJobs(read)).toEqual([
      { lane: 'execute', since: NINE },
      { lane: 'samples', since: TEN },
    ]);
    clock.pass(121_000);
    await one.renew([{ lane: 'execute', since: TEN }]);
    expect(await listOldestJobs(read)).toEqual([{ lane: 'execute', since: TEN }]);
  } finally {
    await desk.remove();
  }
});

test('without a living worker a run that was left to workers waits since its last event, and no other does', async () => {
  const desk = await openDesk();
  try {
    const { read } = desk;
    await desk.waiting('run-1');
    const waiting = await desk.store.create(join(desk.root, 'scenarios/refund-desk'), 'run-2');
    for (const [length, { body, actor }] of [created(), started()].entries())
      await waiting.journal.append(body, actor, length);
    expect(await listOldestJobs(read)).toEqual([]);
    await waiting.write('queue.json', '{"version":1,"carriedBy":"workers"}');
    expect(await listOldestJobs(read)).toEqual([{ lane: 'init', since: expect.stringMatching(/^2026/) }]);
  } finally {
    await desk.remove();
  }
});

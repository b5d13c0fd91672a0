/** Schedules under a clock of their own: no night is lost and none is begun twice, whoever was away and whoever dies. */
import { expect, test } from 'vitest';
import { createCronTimes } from '../../src/adapters/bullmq/cron-times.ts';
import { createScheduleKeeper, type BatchExit, type ScheduleKeeper } from '../../src/batch/keep-schedules.ts';
import { addSchedule, pauseSchedule, type Schedule } from '../../src/batch/schedule.ts';
import { decideStart, readStarts } from '../../src/batch/schedule-starts.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch } from '../support/scratch.ts';

const HOUR = 3_600_000;

async function openNights(more: Partial<Schedule> = {}) {
  const shared = openSharedFiles(await scratch());
  const schedule: Schedule = {
    ...{ version: 1, id: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', args: ['desk'], actor: 'user:ada' },
    ...{ createdAt: '2026-11-20T10:00:00.000Z', ...more },
  };
  await addSchedule(shared, schedule);
  const now = { ms: Date.parse(schedule.createdAt) };
  const [dead, begun, cancelled] = [new Set<string>(), [] as string[], [] as string[]];
  const open = new Map<string, (exit: BatchExit) => void>();
  const openKeeper = (worker: string): ScheduleKeeper =>
    createScheduleKeeper({
      ...{ shared, worker, mostStarts: 6, timesOf: createCronTimes, say: () => undefined },
      clock: { now: () => new Date(now.ms) },
      isAlive: async () => (name) => !dead.has(name),
      begin: (_, batch, signal) => {
        begun.push(batch);
        const { promise, resolve } = Promise.withResolvers<BatchExit>();
        open.set(batch, resolve);
        signal.addEventListener('abort', () => resolve('SIGTERM'));
        return promise;
      },
      pause: async () => void (now.ms += 60_000),
      cancel: async (batch) => void cancelled.push(batch),
    });
  /** Undefined says that the queue was away, and nothing of the batch has begun. */
  const answer = (batch: string, exit: BatchExit): void => open.get(batch)?.(exit);
  /** Ends a batch and waits until that is written. */
  const end = async (batch: string, exit: BatchExit = 0): Promise<void> => {
    answer(batch, exit);
    await expect.poll(() => shared.read(`batches/.starts/nightly/${batch}.ended.json`), { interval: 10 }).toBeDefined();
  };
  const states = async () =>
    (await readStarts(shared, 'nightly')).map(({ due, decided, ending }) =>
      `${due.slice(8, 13)} ${decided} ${ending?.exit ?? ''}`.trim(),
    );
  return { shared, now, dead, begun, cancelled, answer, end, states, openKeeper };
}

const NIGHT_21 = 'nightly-20261121-020000';
const NIGHT_22 = 'nightly-20261122-020000';
const NIGHT_23 = 'nightly-20261123-020000';

test('three workers, away for twelve hours around the night: it begins once, late, under the name of its time', async () => {
  const nights = await openNights();
  const workers = ['a', 'b', 'c'].map((name) => nights.openKeeper(name));
  const look = () => Promise.all(workers.map((worker) => worker.look()));
  expect(await look()).toEqual(workers.map(() => Date.parse('2026-11-21T02:00:00.000Z')));
  nights.now.ms += 21 * HOUR;
  await look();
  await look();
  expect(nights.begun).toEqual([NIGHT_21]);
  await nights.end(NIGHT_21);
  await look();
  expect(nights.begun).toEqual([NIGHT_21]);
});

test('a window says how old a missed night may be', async () => {
  const long = await openNights({ overlap: 'queue', catchUpMs: 72 * HOUR });
  long.now.ms += 50 * HOUR;
  const keeper = long.openKeeper('a');
  await keeper.look();
  expect(long.begun).toEqual([NIGHT_21]);
  await long.end(NIGHT_21, 1);
  await keeper.look();
  expect([long.begun, await long.states()]).toEqual([
    [NIGHT_21, NIGHT_22],
    ['21T02 begin 1', '22T02 begin'],
  ]);
  const short = await openNights({ catchUpMs: HOUR });
  short.now.ms += 50 * HOUR;
  await short.openKeeper('a').look();
  expect(short.begun).toEqual([]);
});

test('a night whose queue is away begins when it is back, and is given up after the window', async () => {
  const nights = await openNights();
  const keeper = nights.openKeeper('a');
  nights.now.ms += 16 * HOUR;
  await keeper.look();
  for (let tries = 1; tries <= 12; tries += 1) {
    await expect.poll(() => nights.begun.length, { interval: 2 }).toBe(tries);
    nights.now.ms += HOUR;
    nights.answer(NIGHT_21, undefined);
  }
  await expect.poll(() => nights.begun.length, { interval: 2 }).toBe(13);
  expect(new Set(nights.begun)).toEqual(new Set([NIGHT_21]));
  await nights.end(NIGHT_21);
  expect(await nights.states()).toEqual(['21T02 begin 0']);
  nights.now.ms += 12 * HOUR;
  await keeper.look();
  nights.now.ms += 25 * HOUR;
  nights.answer(NIGHT_22, undefined);
  await expect.poll(nights.states).toContain('22T02 begin it could not begin within its catch-up window');
});

test('a night of long ago that a person asked for waits for its queue too', async () => {
  const nights = await openNights({ catchUpMs: HOUR });
  nights.now.ms += 100 * HOUR;
  await decideStart(nights.shared, 'nightly', { due: '2026-11-21T02:00:00.000Z', decided: 'begin', asked: 'user:ada' });
  await nights.openKeeper('a').look();
  await expect.poll(() => nights.begun.length, { interval: 2 }).toBe(1);
  nights.answer(NIGHT_21, undefined);
  await expect.poll(() => nights.begun, { interval: 2 }).toEqual([NIGHT_21, NIGHT_21]);
  await nights.end(NIGHT_21);
  expect(await nights.states()).toContain('21T02 begin 0');
});

test('the batch of a dead worker is gone on with by one other, and that of a stopping worker at once', async () => {
  const nights = await openNights();
  const [first, second, third] = [nights.openKeeper('a'), nights.openKeeper('b'), nights.openKeeper('c')];
  nights.now.ms += 17 * HOUR;
  await first.look();
  await Promise.all([second.look(), third.look()]);
  expect(nights.begun).toEqual([NIGHT_21]);
  nights.dead.add('a');
  await Promise.all([second.look(), third.look()]);
  await Promise.all([second.look(), third.look()]);
  expect(nights.begun).toEqual([NIGHT_21, NIGHT_21]);
  await Promise.all([second.close(), third.close()]);
  for (const name of ['b', 'c']) nights.dead.add(name);
  const fresh = nights.openKeeper('d');
  await fresh.look();
  expect(nights.begun).toEqual([NIGHT_21, NIGHT_21, NIGHT_21]);
  await nights.end(NIGHT_21);
  expect(await nights.states()).toEqual(['21T02 begin 0']);
});

test.each([
  ['allow', [NIGHT_21, NIGHT_22], ['21T02 begin', '22T02 begin'], []],
  ['skip', [NIGHT_21], ['21T02 begin', '22T02 skip'], []],
  ['queue', [NIGHT_21], ['21T02 begin', '22T02 begin'], []],
  ['cancel', [NIGHT_21, NIGHT_22], [`21T02 begin cancelled for ${NIGHT_22}`, '22T02 begin'], [NIGHT_21]],
] as const)('a night that lasts into the next one: %s', async (overlap, begun, states, cancelled) => {
  const nights = await openNights({ overlap });
  const keeper = nights.openKeeper('a');
  nights.now.ms += 17 * HOUR;
  await keeper.look();
  nights.now.ms += 24 * HOUR;
  await keeper.look();
  expect([nights.begun, await nights.states(), nights.cancelled]).toEqual([begun, states, cancelled]);
  await keeper.look();
  await nights.end(NIGHT_21);
  await keeper.look();
  expect(nights.begun).toEqual(overlap === 'skip' ? [NIGHT_21] : [NIGHT_21, NIGHT_22]);
});

test('a replaced batch is stopped where it runs, and its runs are cancelled once more after that', async () => {
  const nights = await openNights({ overlap: 'cancel' });
  const [first, second] = [nights.openKeeper('a'), nights.openKeeper('b')];
  nights.now.ms += 17 * HOUR;
  await first.look();
  nights.now.ms += 24 * HOUR;
  await second.look();
  await first.look();
  await expect.poll(() => nights.cancelled).toEqual([NIGHT_21, NIGHT_21]);
});

test('while it is paused nothing begins but what is asked for; what a pause left out is not made up for', async () => {
  const nights = await openNights();
  const keeper = nights.openKeeper('a');
  await pauseSchedule(nights.shared, 'nightly', { at: new Date(nights.now.ms).toISOString(), actor: 'user:ada' });
  nights.now.ms += 17 * HOUR;
  expect(await keeper.look()).toBeUndefined();
  const due = new Date(nights.now.ms).toISOString();
  const asked = () => decideStart(nights.shared, 'nightly', { due, decided: 'begin', asked: 'user:ada' });
  expect([await asked(), await asked()]).toEqual([true, false]);
  await keeper.look();
  expect(nights.begun).toEqual(['nightly-20261121-030000']);
  await pauseSchedule(nights.shared, 'nightly', { at: due, actor: 'user:ada', isOver: true });
  expect(await keeper.look()).toBe(Date.parse('2026-11-22T02:00:00.000Z'));
  nights.now.ms += 24 * HOUR;
  await keeper.look();
  expect(nights.begun).toEqual(['nightly-20261121-030000', NIGHT_22]);
});

test('a start that takes every worker down is given up, and only the newest ended ones are kept', async () => {
  const nights = await openNights();
  nights.now.ms += 17 * HOUR;
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    await nights.openKeeper(name).look();
    nights.dead.add(name);
  }
  expect([nights.begun.length, await nights.states()]).toEqual([6, ['21T02 begin given up after 6 workers']]);
  const keeper = nights.openKeeper('i');
  for (let night = 0; night < 60; night += 1) {
    nights.now.ms += 24 * HOUR;
    await keeper.look();
    await nights.end(nights.begun.at(-1) ?? '');
  }
  await expect.poll(async () => (await readStarts(nights.shared, 'nightly')).length).toBe(51);
  await keeper.look();
  expect(new Set(nights.begun).size).toBe(61);
  expect(nights.begun).toContain(NIGHT_23);
});

/** The files of a schedule's starts: each is made once, whoever tries, and what cannot be read decides nothing. */
import { expect, test } from 'vitest';
import {
  claimStart,
  decideStart,
  endStart,
  forgetStarts,
  planDecisions,
  readStarts,
} from '../../src/batch/schedule-starts.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch } from '../support/scratch.ts';

const DUE = '2026-11-21T02:00:00.000Z';
const MINUTE = 60_000;

test('of several who decide, claim and end a start one does, and it reads back whole', async () => {
  const shared = openSharedFiles(await scratch());
  const decide = () => decideStart(shared, 'nightly', { due: DUE, decided: 'begin' });
  expect((await Promise.all([decide(), decide()])).toSorted()).toEqual([false, true]);
  const [start] = await readStarts(shared, 'nightly');
  if (start === undefined) throw new Error('there is no start');
  const claim = (worker: string) => claimStart(shared, 'nightly', { start, worker, at: DUE });
  expect((await Promise.all([claim('a'), claim('b')])).toSorted()).toEqual([false, true]);
  await endStart(shared, 'nightly', { batch: start.batch, exit: 1, at: DUE });
  await endStart(shared, 'nightly', { batch: start.batch, exit: 0, at: DUE });
  await shared.write('batches/.starts/nightly/nightly-20261122-020000.json', '{"version":1,"due":');
  expect(await readStarts(shared, 'nightly')).toMatchObject([
    { batch: 'nightly-20261121-020000', due: DUE, decided: 'begin', claims: [{ at: DUE }], ending: { exit: 1 } },
  ]);
  await forgetStarts(shared, 'nightly');
  expect(await readStarts(shared, 'nightly')).toEqual([]);
});

test('of the missed times of a pattern that comes often the newest hundred are made up for', () => {
  const createdAt = '2026-11-20T10:00:00.000Z';
  const schedule = {
    ...{ version: 1 as const, id: 'often', cron: '* * * * *', timeZone: 'UTC', args: [], actor: 'user:ada', createdAt },
  };
  const everyMinute = (afterMs: number): number => (Math.floor(afterMs / MINUTE) + 1) * MINUTE;
  const nowMs = Date.parse(createdAt) + 12 * 60 * MINUTE;
  const decisions = planDecisions({ schedule, starts: [], nowMs }, everyMinute);
  expect([decisions.length, decisions[0]?.due, decisions.at(-1)?.due]).toEqual([
    100,
    '2026-11-20T20:21:00.000Z',
    '2026-11-20T22:00:00.000Z',
  ]);
});

test.each([
  ['allow', ['begin', 'begin', 'begin']],
  ['queue', ['begin', 'begin', 'begin']],
  ['skip', ['begin', 'skip', 'skip']],
  ['cancel', ['skip', 'skip', 'begin']],
] as const)('three missed times with %s are decided as %j', (overlap, decided) => {
  const createdAt = '2026-11-20T10:00:00.000Z';
  const schedule = {
    ...{ version: 1 as const, id: 'daily', cron: '0 2 * * *', timeZone: 'UTC', args: [], actor: 'user:ada', createdAt },
    ...{ overlap, catchUpMs: 10 * 24 * 60 * MINUTE },
  };
  const day = 24 * 60 * MINUTE;
  const nextTime = (afterMs: number): number => (Math.floor(afterMs / day) + 1) * day;
  const nowMs = Date.parse('2026-11-23T12:00:00.000Z');
  expect(planDecisions({ schedule, starts: [], nowMs }, nextTime).map((one) => one.decided)).toEqual(decided);
});

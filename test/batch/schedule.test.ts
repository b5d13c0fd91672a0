/** What is scheduled lies on the disk: one of a name, whoever puts it there. */
import { expect, test } from 'vitest';
import {
  addSchedule,
  dropRemovedOptions,
  readSchedules,
  formatBatchId,
  findSchedule,
  removeSchedule,
  scheduleId,
} from '../../src/batch/schedule.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { scratch } from '../support/scratch.ts';

const NIGHTLY = {
  ...{ version: 1 as const, id: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', actor: 'user:ada' },
  ...{ args: ['desk', '--runs', '3'], createdAt: '2026-11-20T10:00:00.000Z' },
};

test('of two who add the same one is first; another of that name is refused, and nothing of it is written', async () => {
  const shared = openSharedFiles(await scratch());
  const both = await Promise.all([
    addSchedule(shared, NIGHTLY),
    addSchedule(shared, { ...NIGHTLY, actor: 'user:bob', createdAt: '2026-11-20T10:00:01.000Z' }),
  ]);
  expect(both.toSorted()).toEqual([false, true]);
  await expect(addSchedule(shared, { ...NIGHTLY, cron: '0 3 * * *' })).rejects.toMatchObject({ code: 'usage' });
  expect((await readSchedules(shared)).map(({ cron }) => cron)).toEqual(['0 2 * * *']);
  expect(await removeSchedule(shared, 'nightly')).toBe(true);
  expect(await removeSchedule(shared, 'nightly')).toBe(false);
  expect(await readSchedules(shared)).toEqual([]);
});

test('a name that leads elsewhere is none', async () => {
  const shared = openSharedFiles(await scratch());
  await expect(addSchedule(shared, { ...NIGHTLY, id: '../nightly' })).rejects.toMatchObject({ code: 'usage' });
  expect(await findSchedule(shared, '../nightly')).toBeUndefined();
});

test('the same command line has the same name, and a time is one batch, in UTC', () => {
  expect(scheduleId(NIGHTLY)).toBe(scheduleId({ ...NIGHTLY }));
  expect(scheduleId(NIGHTLY)).not.toBe(scheduleId({ ...NIGHTLY, timeZone: 'Europe/Berlin' }));
  expect(formatBatchId('nightly', new Date('2026-11-24T02:00:00.000Z'))).toBe('nightly-20261124-020000');
});

test('a schedule of an earlier version begins without the options that are gone', () => {
  const args = ['desk', '--economy', '--live-after', '2h', '--runs', '3', '--live-after=4h'];
  expect(dropRemovedOptions(args)).toEqual(['desk', '--runs', '3']);
});

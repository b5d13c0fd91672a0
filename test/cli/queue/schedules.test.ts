/** Schedules as a person steers them: shown with what became of their nights, paused, begun now, and filled up. */
import { expect, test } from 'vitest';
import { addSchedule } from '../../../src/batch/schedule.ts';
import { claimStart, decideStart, endStart, readStarts } from '../../../src/batch/schedule-starts.ts';
import { listSchedules, steerSchedule, unscheduleBatch } from '../../../src/cli/queue/schedules.ts';
import { openSharedFiles } from '../../../src/disk/shared-files.ts';
import { makeManyRuns } from '../../support/many-runs.ts';
import { fakeIo } from '../fake-io.ts';

const DAY = 86_400_000;

async function openNightly() {
  const { project } = await makeManyRuns(1);
  const shared = openSharedFiles(project, { linked: true });
  await addSchedule(shared, {
    ...{ version: 1, id: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', args: ['desk'], actor: 'user:ada' },
    ...{ createdAt: new Date().toISOString(), overlap: 'queue' },
  });
  const io = fakeIo(project);
  const steer = async (flags: object) => {
    expect(await steerSchedule('nightly', { ...flags, json: true }, io)).toBe(0);
    return io.json();
  };
  return { shared, io, steer };
}

const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

test('the last and the next night are listed, also without a queue', async () => {
  const { shared, io } = await openNightly();
  const due = '2026-11-20T02:00:00.000Z';
  await decideStart(shared, 'nightly', { due, decided: 'begin' });
  const [start] = await readStarts(shared, 'nightly');
  if (start === undefined) throw new Error('there is no start');
  await claimStart(shared, 'nightly', { start, worker: 'a', at: due });
  await endStart(shared, 'nightly', { batch: start.batch, exit: 1, at: due });
  expect(await listSchedules({ json: true }, io)).toBe(0);
  expect(JSON.parse(io.lines.at(-1) ?? '')).toMatchObject([
    {
      schedule: 'nightly',
      overlap: 'queue',
      pausedAt: null,
      next: expect.stringMatching(/T02:00:00/),
      last: { due, exit: 1 },
    },
  ]);
  await listSchedules({}, io);
  expect(io.lines.at(-1)).toContain(`${due} exit 1`);
  await steerSchedule('nightly', {}, io);
  expect(io.lines.join('\n')).toContain('nightly-20261120-020000');
});

test('it is paused and goes on, begins a batch now, and fills up past nights, each once', async () => {
  const { io, steer } = await openNightly();
  expect(await steer({ pause: true })).toMatchObject({ next: null, pausedAt: expect.any(String) });
  expect(await steer({ resume: true })).toMatchObject({ next: expect.any(String), pausedAt: null });
  expect(await steer({ now: true })).toMatchObject({ added: 1, starts: [{ state: 'waits', asked: 'user:ada' }] });
  const range = `${formatDay(Date.now() - 4 * DAY)}..${formatDay(Date.now() - DAY)}`;
  expect(await steer({ backfill: range })).toMatchObject({ added: 3 });
  expect(await steer({ backfill: range })).toMatchObject({ added: 0 });
  for (const wrong of [
    'yesterday',
    `${formatDay(Date.now())}..${formatDay(Date.now() - DAY)}`,
    '2026-01-01..2999-01-01',
  ])
    await expect(steerSchedule('nightly', { backfill: wrong }, io)).rejects.toMatchObject({ code: 'usage' });
  await expect(steerSchedule('nightly', { pause: true, now: true }, io)).rejects.toMatchObject({ code: 'usage' });
});

test('what is taken away is gone with its starts, and another name is named', async () => {
  const { shared, io, steer } = await openNightly();
  await steer({ now: true });
  expect(await unscheduleBatch('nightly', io)).toBe(0);
  expect(await readStarts(shared, 'nightly')).toEqual([]);
  await expect(unscheduleBatch('nightly', io)).rejects.toMatchObject({ code: 'not_found' });
});

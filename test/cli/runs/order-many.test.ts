/** One order to many runs: nothing without --yes, each exactly once, also when two people give it at once. */
import { expect, test } from 'vitest';
import { join } from 'node:path';
import { openStore } from '../../../src/app/open-store.ts';
import { findHome } from '../../../src/config/home.ts';
import { listArchived } from '../../../src/run-folder/archive-marks.ts';
import { runRows } from '../../../src/web/read/run-rows.ts';
import { orderMany } from '../../../src/cli/runs/order-many.ts';
import { created } from '../../support/run-events.ts';
import { orderCommand } from '../../../src/cli/run/control.ts';
import { statusCommand } from '../../../src/cli/run/status.ts';
import { fakeIo } from '../fake-io.ts';
import { makeManyRuns } from '../../support/many-runs.ts';

const { signal } = new AbortController();

test('runs are chosen by label, shown first, and ordered once', async () => {
  const { project, lengths } = await makeManyRuns(6);
  const io = fakeIo(project);
  const give = (name: 'pause' | 'cancel', options: object) =>
    orderCommand(name, { run: undefined, json: true, ...options }, { io, signal });
  const last = (): unknown => JSON.parse(io.lines.at(-1) ?? '');
  const where = 'label.team=even';

  expect(await give('cancel', { where })).toBe(0);
  expect(last()).toMatchObject({ done: false, changed: 0, runs: ['run-0', 'run-2', 'run-4'] });
  expect(await give('cancel', { where, yes: true, dryRun: true })).toBe(0);
  expect(await lengths()).toEqual([2, 2, 2, 2, 2, 2]);

  expect(await give('pause', { where: 'label.team=odd', yes: true })).toBe(0);
  expect(last()).toMatchObject({ done: true, changed: 3 });
  await Promise.all([give('cancel', { where, yes: true }), give('cancel', { where, yes: true })]);
  expect(await lengths()).toEqual([3, 3, 3, 3, 3, 3]);
  expect(await give('cancel', { where, yes: true })).toBe(0);
  expect(last()).toMatchObject({ changed: 0, runs: [], left: 3 });

  expect(await statusCommand(undefined, { where: 'state=paused', json: true }, io)).toBe(0);
  expect(last()).toMatchObject([{ status: 'paused' }, { status: 'paused' }, { status: 'paused' }]);
  expect(await statusCommand(undefined, { where: 'label.team=none' }, io)).toBe(0);
  expect(io.lines.at(-1)).toBe("No run fits --where 'label.team=none'.");
});

test('a run and --where exclude each other, and one of them is needed', async () => {
  const { project } = await makeManyRuns(1);
  const call = { io: fakeIo(project), signal };
  for (const options of [{ run: 'run-0', where: 'state=errored' }, { run: undefined }, { run: 'run-0', yes: true }])
    await expect(orderCommand('cancel', options, call)).rejects.toMatchObject({ code: 'usage' });
});

test('resume --where needs workers, and says so before anything is shown as possible', async () => {
  const { project, lengths } = await makeManyRuns(2);
  const call = { io: fakeIo(project), signal };
  const before = await lengths();
  for (const yes of [true, false])
    await expect(orderMany('resume', { where: 'label.team=even', yes }, call)).rejects.toMatchObject({ code: 'usage' });
  expect(await lengths()).toEqual(before);
});

test('an archived run leaves the lists, and is found by its name, by --all, and as an old --where', async () => {
  const { project } = await makeManyRuns(4);
  const io = fakeIo(project);
  const last = (): { run: string }[] & { changed: number } => JSON.parse(io.lines.at(-1) ?? '');
  const archive = async (order: 'archive' | 'unarchive', options: object): Promise<number> => {
    expect(await orderMany(order, { where: 'label.team=even', json: true, ...options }, { io, signal })).toBe(0);
    return last().changed;
  };
  const listed = async (options: object = {}): Promise<string[]> => {
    await statusCommand(undefined, { json: true, ...options }, io);
    return last()
      .map(({ run }) => run)
      .toSorted();
  };

  expect(await archive('archive', { yes: true }), 'runs that go on stay in the lists').toBe(0);
  await orderCommand('cancel', { run: undefined, where: 'label.team=even', yes: true }, { io, signal });
  expect(await archive('archive', {})).toBe(0);
  expect(await listed()).toHaveLength(4);
  expect(await archive('archive', { yes: true })).toBe(2);
  expect(await archive('archive', { yes: true })).toBe(0);
  expect(await listed()).toEqual(['run-1', 'run-3']);
  expect(io.errors.join()).toContain('2 archived runs are not listed: tandem status --all.');
  expect(await listed({ all: true })).toHaveLength(4);
  expect(await listed({ where: 'state=cancelled' })).toEqual([]);
  expect(await listed({ where: 'state=cancelled', all: true })).toEqual(['run-0', 'run-2']);
  const { store, shared } = openStore(findHome(project));
  expect((await store.open('run-0')).id).toBe('run-0');
  expect(
    await runRows({
      store,
      evaluations: { list: async () => [] },
      listArchived: () => listArchived({ store, shared }),
    }),
  ).toHaveLength(2);

  const other = await store.create(join(project, 'scenarios/desk'), 'run-9');
  await shared.write('scenarios/.archived/desk/run-9', 'another start');
  const { body, actor } = created({}, { scenario: 'desk' });
  await other.journal.append(body, actor, 0);
  expect(await listed(), 'a mark of an earlier run of that name does not count').toContain('run-9');

  expect(await archive('unarchive', { yes: true })).toBe(2);
  expect(await listed()).toHaveLength(5);
});

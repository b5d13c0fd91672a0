/** One order to many runs: nothing without --yes, each exactly once, also when two people give it at once. */
import { expect, test } from 'vitest';
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
});

test('a run and --where exclude each other, and one of them is needed', async () => {
  const { project } = await makeManyRuns(1);
  const call = { io: fakeIo(project), signal };
  for (const options of [{ run: 'run-0', where: 'state=errored' }, { run: undefined }, { run: 'run-0', yes: true }])
    await expect(orderCommand('cancel', options, call)).rejects.toMatchObject({ code: 'usage' });
});

/** A batch on disk: named runs, found by the beginning of its id, one cap on money over all of them (C.4). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileBatches } from '../../src/adapters/files/run-folder.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { planRuns, readBatch, writeBatch, type Batch, joinBatch, withBatchBudgets } from '../../src/batch/batch.ts';
import { batchState } from '../../src/batch/state.ts';
import { created } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

const PRICE = { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 };
const usage = (usd: number) => ({
  input_tokens: usd * 1_000_000,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

async function project(budgetUsd?: number) {
  const dir = await scratch();
  const scenario = join(dir, 'scenarios', 'desk');
  await mkdir(scenario, { recursive: true });
  const batch: Batch = {
    version: 1,
    id: 'bat',
    createdAt: '2026-11-20T10:00:00.000Z',
    actor: 'user:ada',
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    runs: planRuns({ id: 'bat', project: dir, each: 2 }, [{ name: 'desk', dir: scenario }]),
  };
  const batches = openFileBatches(dir);
  await writeBatch(batches, batch);
  const plain = () => openFileRunStore({ roots: [join(dir, 'scenarios')], clock: tickingClock(), worker: 'w' });
  const again = () => withBatchBudgets(plain(), batches);
  return { dir, scenario, batch, batches, store: again(), again };
}

const call = (name: string, worstUsd: number) => ({ call: name, agent: 'init', model: 'm', worstUsd });

describe('a batch on disk', () => {
  test('names its runs before any of them is begun, each scenario in turn', () => {
    const scenarios = ['a', 'b'].map((name) => ({ name, dir: `/p/scenarios/${name}` }));
    expect(planRuns({ id: 'x', project: '/p', each: 2 }, scenarios)).toEqual([
      { run: 'x-001', scenario: 'a', dir: 'scenarios/a/runs/x-001' },
      { run: 'x-002', scenario: 'b', dir: 'scenarios/b/runs/x-002' },
      { run: 'x-003', scenario: 'a', dir: 'scenarios/a/runs/x-003' },
      { run: 'x-004', scenario: 'b', dir: 'scenarios/b/runs/x-004' },
    ]);
  });

  test('is found by the beginning of its id, and what is not there is told with what is', async () => {
    const { batches, batch } = await project();
    expect(await readBatch(batches, 'ba')).toEqual(batch);
    await expect(readBatch(batches, 'x')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('There are bat.'),
    });
    await writeBatch(batches, { ...batch, id: 'bat2' });
    // Later ones of other names do not push out those that are meant.
    for (const id of Array.from({ length: 10 }, (_, at) => `late-${at}`)) await writeBatch(batches, { ...batch, id });
    await expect(readBatch(batches, 'ba')).rejects.toThrow(/"ba" could be several batches. There are bat, bat2\.$/);
    expect(await readBatch(batches, 'bat')).toEqual(batch);
    await expect(readBatch(batches, '../bat')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that was damaged is named and not guessed at', async () => {
    const { dir, batches } = await project();
    await writeFile(join(dir, 'batches', 'bat.json'), '{"version":1}');
    await expect(readBatch(batches, 'bat')).rejects.toMatchObject({ code: 'data_corrupt' });
  });

  test('its state is folded from the runs: one that is not begun, half begun or broken is a row like the others', async () => {
    const { batches, scenario, batch, store } = await project();
    const exits = { of: () => 0, notStarted: 7, unreadable: 6, newer: 8 };
    const deps = { store, clock: tickingClock(), progress: () => undefined };
    const status = async () =>
      (await batchState(batch, { ...deps, batches, exits })).rows.map((row) => [row.status, row.exit]);
    expect(await status()).toEqual([
      ['not_started', 7],
      ['not_started', 7],
    ]);
    const run = await store.create(scenario, 'bat-001');
    expect(await status()).toEqual([
      ['not_started', 7],
      ['not_started', 7],
    ]);
    await run.write('scenario/scenario.yaml', 'version: 2');
    await run.journal.append(created().body, 'user:ada', 0);
    expect(await status()).toEqual([
      ['unreadable', 6],
      ['not_started', 7],
    ]);
    // What a later version wrote is no damage, and is not called so.
    await writeFile(join(run.dir, 'events/000001.json'), '{"from":"tomorrow"}');
    await writeFile(join(run.dir, 'program.json'), '{"version":1,"program":"99.0.0"}');
    expect(await status()).toEqual([
      ['newer', 8],
      ['not_started', 7],
    ]);
    const { rows } = await batchState(batch, { ...deps, batches, exits });
    expect(rows[0]?.why).toContain('made by a newer Tandem (99.0.0)');
  });
});

describe('the money of a batch', () => {
  test('is one cap over all its runs, and the refusal says how to raise it', async () => {
    const { scenario, store } = await project(10);
    const [one, two] = [await store.create(scenario, 'bat-001'), await store.create(scenario, 'bat-002')];
    for (const run of [one, two]) await joinBatch(run, 'bat');
    await one.spending.reserve(call('c1', 6), 100);
    await expect(two.spending.reserve(call('c1', 6), 100)).rejects.toMatchObject({
      code: 'budget_exceeded',
      message: expect.stringMatching(/^Batch bat: .*tandem batch --resume bat --budget 20\.$/),
    });
    // What the batch refused is not held back from the run either.
    expect(await two.spending.list()).toEqual([]);
    await one.spending.settle('c1', usage(2), { price: PRICE });
    await two.spending.reserve(call('c1', 6), 100);
  });

  test('holds for whoever carries a run on: another process sees what was spent, and a raise counts at once', async () => {
    const { batches, scenario, batch, store, again } = await project(10);
    const one = await store.create(scenario, 'bat-001');
    await joinBatch(one, 'bat');
    await one.spending.reserve(call('c1', 9), 100);
    const other = await again().open(join(scenario, 'runs', 'bat-001'));
    await expect(other.spending.reserve(call('c2', 2), 100)).rejects.toThrow(/^Batch bat/);
    await writeBatch(batches, { ...batch, budgetUsd: 20 });
    await other.spending.reserve(call('c2', 2), 100);
    await one.spending.release('c1');
    await other.spending.reserve(call('c3', 17), 100);
  });

  test('counts what was written off in one of its runs, until that is settled after all', async () => {
    const { scenario, store } = await project(10);
    const [one, two] = [await store.create(scenario, 'bat-001'), await store.create(scenario, 'bat-002')];
    for (const run of [one, two]) await joinBatch(run, 'bat');
    await one.spending.reserve(call('c1', 9), 100);
    expect(await one.spending.writeOff('c1')).toBe(9);
    await expect(two.spending.reserve(call('c1', 2), 100)).rejects.toThrow(/up to \$9\.00 more/);
    await one.spending.settle('c1', usage(2), { price: PRICE });
    await two.spending.reserve(call('c1', 8), 100);
  });

  test('counts from the first call on, also when the cap comes later', async () => {
    const { batches, scenario, batch, store } = await project();
    const one = await store.create(scenario, 'bat-001');
    await joinBatch(one, 'bat');
    await one.spending.reserve(call('c1', 9), 100);
    await one.spending.settle('c1', usage(7), { price: PRICE });
    await one.spending.reserve(call('c2', 1), 100);
    await writeBatch(batches, { ...batch, budgetUsd: 10 });
    await expect(one.spending.reserve(call('c3', 3), 100)).rejects.toThrow(
      /^Batch bat: .*\$7\.00 of \$10\.00 are spent/,
    );
    await one.spending.reserve(call('c3', 2), 100);
  });

  test('does not concern a run of no batch, and the cap of a run still holds in a batch', async () => {
    const { scenario, store } = await project(10);
    const lone = await store.create(scenario, 'lone');
    await lone.spending.reserve(call('c1', 50), 100);
    const one = await store.create(scenario, 'bat-001');
    await joinBatch(one, 'bat');
    await expect(one.spending.reserve(call('c1', 5), 4)).rejects.toThrow(/tandem resume <run> --raise/);
  });
});

test('a run that is opened again is the same object, as in the store: what is known of its conversations hangs on it', async () => {
  const { store, scenario, again } = await project(1);
  const run = await store.create(scenario, 'bat-001');
  expect(await store.open('bat-001')).toBe(run);
  expect((await store.open('bat-001')).spending).toBe(run.spending);
  expect(await again().open('bat-001')).not.toBe(run);
});

test('a run folder is found from the project, wherever the scenario lies', async () => {
  expect(await openFileBatches('/p').dirOf({ run: 'r', scenario: 's', dir: '../q/s/runs/r' })).toBe('/q/s/runs/r');
});

/** A store of a plugin: its lines are the truth, the folders of the project follow them, and neither loses what the other has. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPluginStore, type PluginRunStore } from '../../../src/adapters/plugins/plugin-store.ts';
import { storeOf } from '../../../src/app/testing.ts';
import type { StoreLines } from '../../../src/ports/plugins/plugins.ts';
import { batchesContract } from '../../contracts/batches.contract.ts';
import { journalContract } from '../../contracts/journal.contract.ts';
import { runStoreContract } from '../../contracts/run-store.contract.ts';
import { created, started } from '../../support/run-events.ts';
import { scratch } from '../../support/scratch.ts';

/** Lines in memory, as two processes share them; the SQLite file of examples/own-store passes the same in test/slow/plugins.test.ts. */
function memory(): StoreLines & { books: Map<string, string[]> } {
  const books = new Map<string, string[]>();
  return {
    books,
    append: (book, number, text) => {
      const lines = books.get(book) ?? [];
      if (lines.length !== number) return false;
      books.set(book, [...lines, text]);
      return true;
    },
    read: (book, from) => (books.get(book) ?? []).slice(from),
    remove: (book) => books.delete(book),
  };
}

const EVENTS = 'refund-desk/run-1/events';

async function opened(lines: StoreLines = memory()) {
  const project = await scratch();
  const scenarioDir = join(project, 'scenarios/refund-desk');
  const another = (): PluginRunStore => storeOf(lines, project);
  return { project, scenarioDir, ...another(), another };
}

const under = async () => {
  const { store, scenarioDir, another } = await opened();
  return { store, scenarioDir, another: () => another().store };
};
runStoreContract('lines of a plugin', under);
batchesContract('lines of a plugin', async () => {
  const { batches, another } = await opened();
  return { batches, another: () => another().batches };
});
journalContract('lines of a plugin', async () => {
  const { store, scenarioDir, another } = await opened();
  const { dir, id, scenario, journal } = await store.create(scenarioDir, 'run-1');
  return { journal, again: () => another().store.at({ id, scenario, dir }).journal };
});
describe('folders follow the lines', () => {
  test('what a process wrote into the store and not into the folder is there for the next one', async () => {
    const lines = memory();
    const { store, scenarioDir, another } = await opened(lines);
    const run = await store.create(scenarioDir, 'run-1');
    await run.journal.append(created().body, 'user:ada', 0);
    const last = await run.journal.append(started().body, 'worker:a', 1);
    const file = join(run.dir, 'events/000001.json');
    await rm(file);
    const again = await another().store.open('run-1');
    expect((await again.journal.read()).at(-1)).toEqual(last);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(last);
  });

  test('runs of a project that had no store before are taken over with all their events and money', async () => {
    const { project, scenarioDir } = await opened();
    const before = storeOf(memory(), project).store;
    const run = await before.create(scenarioDir, 'run-1');
    await run.journal.append(created().body, 'user:ada', 0);
    await run.spending.reserve({ call: 'c1', agent: 'init', model: 'm', worstUsd: 4 }, 5);
    const lines = memory();
    const after = await storeOf(lines, project).store.open('run-1');
    expect(await after.journal.read()).toHaveLength(1);
    await expect(
      after.spending.reserve({ call: 'c2', agent: 'init', model: 'm', worstUsd: 4 }, 5),
    ).rejects.toMatchObject({ code: 'budget_exceeded' });
    await after.journal.append(started().body, 'worker:a', 1);
    expect(lines.books.get(EVENTS)).toHaveLength(2);
    expect(lines.books.get('refund-desk/run-1/spend')).toHaveLength(1);
  });

  test('a folder that was carried on without the store is refused, by its file', async () => {
    const lines = memory();
    const { store, scenarioDir, another } = await opened(lines);
    const run = await store.create(scenarioDir, 'run-1');
    await run.journal.append(created().body, 'user:ada', 0);
    await writeFile(join(run.dir, 'events/000000.json'), '{"another":"event"}');
    await expect((await another().store.open('run-1')).journal.read()).rejects.toMatchObject({
      code: 'data_corrupt',
      message: expect.stringMatching(/events\/000000\.json is not what the store has/) as string,
    });
    expect(lines.books.get(EVENTS)).toHaveLength(1);
  });

  test('a run that is removed leaves no line, and a batch neither', async () => {
    const lines = memory();
    const { store, batches, scenarioDir } = await opened(lines);
    const run = await store.create(scenarioDir, 'run-1');
    await run.journal.append(created().body, 'user:ada', 0);
    await batches.write('night', '{}');
    const money = await batches.spending('night');
    await money.reserve({ call: 'c1', agent: 'init', model: 'm', worstUsd: 4 }, 5);
    expect([...lines.books.keys()]).toEqual([EVENTS, 'batches/night/spend']);
    await store.remove(run);
    await batches.remove('night');
    expect([...lines.books.keys()]).toEqual([]);
  });

  test('a plugin that throws is named, and the step may be tried again', async () => {
    const project = await scratch();
    const fails = (): never => {
      throw new Error('the disk of the ledger is full');
    };
    const lines: StoreLines = { ...memory(), append: fails };
    const fault = (error: unknown): Error => new Error(`plugins/ledger.mjs:3: ${(error as Error).message}`);
    const files = { roots: [join(project, 'scenarios')], clock: { now: () => new Date() }, worker: 'w' };
    const { store } = openPluginStore({ ...files, project, load: async () => ({ lines, fault }) });
    const run = await store.create(join(project, 'scenarios/refund-desk'), 'run-1');
    await expect(run.journal.append(created().body, 'user:ada', 0)).rejects.toMatchObject({
      code: 'infrastructure',
      retryable: true,
      message: 'plugins/ledger.mjs:3: the disk of the ledger is full',
    });
    expect(await run.journal.read()).toEqual([]);
  });
});

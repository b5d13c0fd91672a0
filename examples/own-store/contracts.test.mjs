/** The store and the queue of this folder keep the contracts of Tandem's ports. Any runner will do; this is Node's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import {
  batchesCases,
  jobQueueCases,
  journalCases,
  queueItemsCases,
  queueOf,
  runStoreCases,
  storeOf,
} from 'tandem-harness/testing';
import { sqliteQueue } from './sqlite-queue.mjs';
import { sqliteStore } from './sqlite-store.mjs';

const opened = [];
const folders = [];
after(async () => {
  for (const one of opened) one.close();
  for (const folder of folders) await rm(folder, { recursive: true });
});

async function project() {
  const folder = await mkdtemp(join(tmpdir(), 'own-store-'));
  folders.push(folder);
  return folder;
}

/** Each call is another process: it opens the file anew. */
function open(plugin, folder) {
  const one = plugin(folder, {});
  opened.push(one);
  return one;
}

async function stores() {
  const folder = await project();
  const another = () => storeOf(open(sqliteStore, folder), folder);
  return { ...another(), scenarioDir: join(folder, 'scenarios/refund-desk'), another };
}

describe('a store in SQLite', () => {
  const cases = [
    ...runStoreCases(async () => {
      const { store, scenarioDir, another } = await stores();
      return { store, scenarioDir, another: () => another().store };
    }),
    ...journalCases(async () => {
      const { store, scenarioDir, another } = await stores();
      const run = await store.create(scenarioDir, 'run-1');
      return { journal: run.journal, again: () => another().store.at(run).journal };
    }),
    ...batchesCases(async () => {
      const { batches, another } = await stores();
      return { batches, another: () => another().batches };
    }),
  ];
  for (const { title, run } of cases) test(title, run);
});

describe('a queue in SQLite', () => {
  const cases = [
    ...queueItemsCases(async () => {
      const folder = await project();
      return { items: open(sqliteQueue, folder), another: () => open(sqliteQueue, folder) };
    }),
    // The queue closes what it was given.
    ...jobQueueCases(async () => queueOf(sqliteQueue(await project(), {}))),
  ];
  for (const { title, run } of cases) test(title, run);
});

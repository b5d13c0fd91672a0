/** The rules of every run store for money: one cap per run, and each try of a call counted once. */
import assert from 'node:assert/strict';
import type { RunFolder, RunStore } from '../../../src/ports/run-store.ts';
import { CREATED } from './journal-cases.ts';
import { type Checks } from './contract-case.ts';
import { assertLike, assertRejects } from './assertions.ts';

/** `another` opens the store as another process does; the paths of run folders may differ between the two. */
export type StoreUnderTest = { store: RunStore; scenarioDir: string; another: () => RunStore };

const PRICE = { input: 1, output: 10, cacheWrite: 1, cacheRead: 0 };
const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100_000 };

export async function createRun(store: RunStore, scenarioDir: string, id: string): Promise<RunFolder> {
  const run = await store.create(scenarioDir, id);
  await run.journal.append(CREATED, 'user:ada', 0);
  return run;
}

export const SPENDING_CHECKS: Checks<StoreUnderTest> = {
  'keeps all workers together under one cap': async ({ store, scenarioDir, another }) => {
    await createRun(store, scenarioDir, 'run-1');
    const calls = Array.from({ length: 12 }, async (_, index) => {
      const { spending } = await (index % 2 === 0 ? store : another()).open('run-1');
      return spending.reserve({ call: `c${index}`, agent: 'init', model: 'm', worstUsd: 1 }, 5);
    });
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assertLike(outcome.reason, { code: 'budget_exceeded' });
    }
    assert.equal((await (await store.open('run-1')).spending.list()).length, 5);
  },
  'pays what a call cost and gives the rest of its reservation back': async ({ store, scenarioDir }) => {
    const { spending } = await createRun(store, scenarioDir, 'run-1');
    await spending.reserve({ call: 'c1', agent: 'init', model: 'm', worstUsd: 4 }, 5);
    await assertRejects(spending.reserve({ call: 'c2', agent: 'init', model: 'm', worstUsd: 2 }, 5), {
      code: 'budget_exceeded',
      details: { spentUsd: 0, reservedUsd: 4, capUsd: 5, nextUsd: 2 },
    });
    assert.equal(await spending.settle('c1', USAGE, { price: PRICE }), 1);
    await spending.reserve({ call: 'c2', agent: 'init', model: 'm', worstUsd: 4 }, 5);
    const paid = { reservedUsd: 0, usd: 0, uncertainUsd: 0, answers: 0, failed: 0 };
    assert.deepEqual(await spending.list(), [
      { ...paid, call: 'c1', agent: 'init', model: 'm', usd: 1, answers: 1, usage: USAGE },
      { ...paid, call: 'c2', agent: 'init', model: 'm', reservedUsd: 4 },
    ]);
  },
  'counts each try of a call once, however often it is settled or released; one that was cut off is uncertain': async ({
    store,
    scenarioDir,
    another,
  }) => {
    const { spending } = await createRun(store, scenarioDir, 'run-1');
    const named = { call: 'c1', agent: 'init', model: 'm' };
    const record = { ...named, worstUsd: 4 };
    await spending.reserve(record, 5);
    const { nth } = await (await another().open('run-1')).spending.reserve(record, 9);
    assert.equal(nth, 1);
    assert.equal(await spending.settle('c1', USAGE, { price: PRICE, nth }), 1);
    assert.equal(await spending.settle('c1', { ...USAGE, output_tokens: 1 }, { price: PRICE, nth }), 1);
    await spending.release('c1');
    assert.deepEqual(await spending.list(), [
      { ...named, reservedUsd: 0, usd: 1, uncertainUsd: 4, answers: 1, failed: 1, usage: USAGE },
    ]);
  },
  'drops a reservation whose call was never answered, once or more often': async ({ store, scenarioDir }) => {
    const { spending } = await createRun(store, scenarioDir, 'run-1');
    const record = { call: 'c1', agent: 'init', model: 'm', worstUsd: 4 };
    await spending.release('never-reserved');
    await spending.reserve(record, 5);
    await spending.release('c1');
    await spending.release('c1');
    assert.deepEqual(await spending.list(), []);
    await spending.reserve({ ...record, call: 'c2', worstUsd: 5 }, 5);
  },
};

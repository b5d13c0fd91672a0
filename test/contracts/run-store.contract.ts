/** What every run store must do: run folders, found by id, beginning or path, and what stands in one. */
import { describe, expect, test } from 'vitest';
import type { RunFolder, RunStore } from '../../src/ports/run-store.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { created } from '../support/run-events.ts';

/** `another`: as another process has it. Where a run's folder is may differ between them. */
export type StoreUnderTest = { store: RunStore; scenarioDir: string; another: () => RunStore };

const PRICE = { input: 1, output: 10, cacheWrite: 1, cacheRead: 0 };
const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 100_000 };

export function entry(number: number, text = 'hello'): Entry {
  return {
    version: 1,
    id: `e${number}`,
    parents: number === 1 ? [] : [`e${number - 1}`],
    lane: 'main',
    type: 'message',
    origin: 'harness',
    message: { role: 'user', content: [{ type: 'text', text }] },
  };
}

async function begin(store: RunStore, scenarioDir: string, id: string): Promise<RunFolder> {
  const run = await store.create(scenarioDir, id);
  await run.journal.append(created().body, 'user:ada', 0);
  return run;
}

export function runStoreContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`run-store contract: ${name}`, () => {
    test('creates a run once', async () => {
      const { store, scenarioDir } = await make();
      const run = await begin(store, scenarioDir, 'run-1');
      expect(run).toMatchObject({ id: 'run-1', scenario: 'refund-desk', dir: `${scenarioDir}/runs/run-1` });
      await expect(store.create(scenarioDir, 'run-1')).rejects.toMatchObject({ code: 'usage' });
    });

    test.each(['', '.', '..', '../x', 'a/b', 'a b', '-x', 'a:b', 'a\0b', 'x'.repeat(101)])(
      'refuses the id %j',
      async (id) => {
        const { store, scenarioDir } = await make();
        await expect(store.create(scenarioDir, id)).rejects.toMatchObject({ code: 'usage' });
      },
    );

    test('opens by id, by its beginning and by path', async () => {
      const { store, scenarioDir, another } = await make();
      const { dir } = await begin(store, scenarioDir, '20261120-a1');
      await begin(store, scenarioDir, '20261121-b2');
      for (const way of ['20261120-a1', '20261120']) expect((await another().open(way)).id).toBe('20261120-a1');
      expect((await store.open(dir)).dir).toBe(dir);
      expect((await store.open('20261120')).dir).toBe(dir);
    });

    test('a folder that was told of is opened as it was told, and holds the same run', async () => {
      const { store, scenarioDir, another } = await make();
      await begin(store, scenarioDir, 'run-1');
      const [found] = await another().folders();
      if (found === undefined) throw new Error('no folder');
      const run = another().at(found);
      expect(run).toMatchObject({ id: 'run-1', scenario: 'refund-desk', dir: found.dir });
      expect(await run.journal.read()).toHaveLength(1);
    });

    test('takes a whole id before a beginning, and refuses a beginning of several', async () => {
      const { store, scenarioDir } = await make();
      await begin(store, scenarioDir, 'run');
      await begin(store, scenarioDir, 'run-2');
      await begin(store, scenarioDir, 'run-3');
      expect((await store.open('run')).id).toBe('run');
      await expect(store.open('run-')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('could be'),
      });
    });

    test('says what is there when there is no such run', async () => {
      const { store, scenarioDir } = await make();
      await expect(store.open('nope')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('no runs yet'),
      });
      await begin(store, scenarioDir, 'run-1');
      await expect(store.open('nope')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('run-1'),
      });
      await expect(store.open('./nope')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('not a run folder'),
      });
      await expect(store.open('')).rejects.toMatchObject({ code: 'not_found' });
    });

    test('lists the newest first', async () => {
      const { store, scenarioDir, another } = await make();
      for (const id of ['b', 'a', 'c']) await begin(store, scenarioDir, id);
      expect((await another().list()).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
    });

    test('writes whole files and reads them back', async () => {
      const { store, scenarioDir, another } = await make();
      const run = await begin(store, scenarioDir, 'run-1');
      expect(await run.read('gates/HITL-1.r1/pack.json')).toBeUndefined();
      await run.write('gates/HITL-1.r1/pack.json', '{}');
      await run.write('gates/HITL-1.r1/pack.json', '{"a":"ä"}');
      expect(await (await another().open('run-1')).read('gates/HITL-1.r1/pack.json')).toBe('{"a":"ä"}');
    });

    test.each(['../x', '/etc/x', 'a/../../x', 'a//b', './a', '', 'a\\b', 'a\0b', 'gates/..'])(
      'neither writes nor reads outside: %j',
      async (path) => {
        const { store, scenarioDir } = await make();
        const run = await begin(store, scenarioDir, 'run-1');
        await expect(run.write(path, 'x')).rejects.toMatchObject({ code: 'usage' });
        await expect(run.read(path)).rejects.toMatchObject({ code: 'usage' });
      },
    );

    test('publishes a transcript, and doing it twice is harmless', async () => {
      const { store, scenarioDir, another } = await make();
      const { transcripts } = await begin(store, scenarioDir, 'run-1');
      expect(await transcripts.read('init')).toEqual([]);
      await transcripts.publish('init', [entry(1), entry(2, 'line\nbreak \u2028 and "quotes"')]);
      await transcripts.publish('init', [entry(1), entry(2), entry(3)]);
      await (await another().open('run-1')).transcripts.publish('init', [entry(3), entry(4)]);
      await transcripts.publish('init', [entry(4), entry(5)]);
      const entries = await transcripts.read('init');
      expect((await transcripts.stored('init')).map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
      expect(entries.map(({ id }) => id)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5']);
      expect(entries[1]).toEqual(entry(2, 'line\nbreak \u2028 and "quotes"'));
      expect(await transcripts.read('execute')).toEqual([]);
    });

    test('keeps all workers together under one cap', async () => {
      const { store, scenarioDir, another } = await make();
      await begin(store, scenarioDir, 'run-1');
      const calls = Array.from({ length: 12 }, async (_, index) => {
        const { spending } = await (index % 2 === 0 ? store : another()).open('run-1');
        return spending.reserve({ call: `c${index}`, agent: 'init', model: 'm', worstUsd: 1 }, 5);
      });
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'budget_exceeded' });
      }
      expect(await (await store.open('run-1')).spending.list()).toHaveLength(5);
    });

    test('pays what a call cost and gives the rest of its reservation back', async () => {
      const { store, scenarioDir } = await make();
      const { spending } = await begin(store, scenarioDir, 'run-1');
      await spending.reserve({ call: 'c1', agent: 'init', model: 'm', worstUsd: 4 }, 5);
      await expect(spending.reserve({ call: 'c2', agent: 'init', model: 'm', worstUsd: 2 }, 5)).rejects.toMatchObject({
        code: 'budget_exceeded',
        details: { spentUsd: 0, reservedUsd: 4, capUsd: 5, nextUsd: 2 },
      });
      expect(await spending.settle('c1', USAGE, { price: PRICE })).toBe(1);
      await spending.reserve({ call: 'c2', agent: 'init', model: 'm', worstUsd: 4 }, 5);
      const paid = { reservedUsd: 0, usd: 0, uncertainUsd: 0, answers: 0, failed: 0 };
      expect(await spending.list()).toEqual([
        { ...paid, call: 'c1', agent: 'init', model: 'm', usd: 1, answers: 1, usage: USAGE },
        { ...paid, call: 'c2', agent: 'init', model: 'm', reservedUsd: 4 },
      ]);
    });

    test('counts each try of a call once, however often it is settled or released; one that was cut off is uncertain', async () => {
      const { store, scenarioDir, another } = await make();
      const { spending } = await begin(store, scenarioDir, 'run-1');
      const named = { call: 'c1', agent: 'init', model: 'm' };
      const record = { ...named, worstUsd: 4 };
      await spending.reserve(record, 5);
      const { nth } = await (await another().open('run-1')).spending.reserve(record, 9);
      expect(nth).toBe(1);
      expect(await spending.settle('c1', USAGE, { price: PRICE, nth })).toBe(1);
      expect(await spending.settle('c1', { ...USAGE, output_tokens: 1 }, { price: PRICE, nth })).toBe(1);
      await spending.release('c1');
      expect(await spending.list()).toEqual([
        { ...named, reservedUsd: 0, usd: 1, uncertainUsd: 4, answers: 1, failed: 1, usage: USAGE },
      ]);
    });

    test('a draft is a run for everybody when it is published, and leaves nothing when it is dropped', async () => {
      const { store, scenarioDir, another } = await make();
      const draft = await store.draft(scenarioDir, 'run-1');
      const { run } = draft;
      await run.journal.append(created().body, 'user:ada', 0);
      await run.transcripts.publish('init', [entry(1)]);
      await run.write('handoffs/1.json', '{}');
      expect(await another().list()).toEqual([]);
      const made = await draft.publish();
      expect([made.id, made.scenario]).toEqual(['run-1', 'refund-desk']);
      const seen = await another().open('run-1');
      expect(await seen.journal.read()).toHaveLength(1);
      expect(await seen.transcripts.read('init')).toEqual([entry(1)]);
      expect(await seen.read('handoffs/1.json')).toBe('{}');
      await expect(store.draft(scenarioDir, 'run-1')).rejects.toMatchObject({ code: 'usage' });

      const other = await store.draft(scenarioDir, 'run-2');
      await other.run.journal.append(created().body, 'user:ada', 0);
      await other.drop();
      await store.create(scenarioDir, 'run-2');
    });

    test('drops a reservation whose call was never answered, once or more often', async () => {
      const { store, scenarioDir } = await make();
      const { spending } = await begin(store, scenarioDir, 'run-1');
      const record = { call: 'c1', agent: 'init', model: 'm', worstUsd: 4 };
      await spending.release('never-reserved');
      await spending.reserve(record, 5);
      await spending.release('c1');
      await spending.release('c1');
      expect(await spending.list()).toEqual([]);
      await spending.reserve({ ...record, call: 'c2', worstUsd: 5 }, 5);
    });
  });
}

/** The rules of every run store: run folders are found by id, prefix or path, with their contents. */
import assert from 'node:assert/strict';
import { CREATED } from './journal-cases.ts';
import { createRun, SPENDING_CHECKS, type StoreUnderTest } from './spending-cases.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import { createCases, type Checks, type ContractCase, checksFor } from './contract-case.ts';
import { assertLike, assertRejects } from './assertions.ts';

export type { StoreUnderTest };

export function createEntry(number: number, text = 'hello'): Entry {
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

const CHECKS: Checks<StoreUnderTest> = {
  'creates a run once': async ({ store, scenarioDir }) => {
    const run = await createRun(store, scenarioDir, 'run-1');
    assertLike(run, { id: 'run-1', scenario: 'refund-desk', dir: `${scenarioDir}/runs/run-1` });
    await assertRejects(store.create(scenarioDir, 'run-1'), { code: 'usage' });
  },
  ...checksFor(['', '.', '..', '../x', 'a/b', 'a b', '-x', 'a:b', 'a\0b', 'nul', 'COM1', 'x'.repeat(101)], (id) => [
    `refuses the id ${JSON.stringify(id)}`,
    async ({ store, scenarioDir }: StoreUnderTest) => {
      await assertRejects(store.create(scenarioDir, id), { code: 'usage' });
    },
  ]),
  'opens by id, by its beginning and by path': async ({ store, scenarioDir, another }) => {
    const { dir } = await createRun(store, scenarioDir, '20261120-a1');
    await createRun(store, scenarioDir, '20261121-b2');
    for (const way of ['20261120-a1', '20261120']) assert.equal((await another().open(way)).id, '20261120-a1');
    assert.equal((await store.open(dir)).dir, dir);
    assert.equal((await store.open('20261120')).dir, dir);
  },
  'a folder that was told of is opened as it was told, and holds the same run': async ({
    store,
    scenarioDir,
    another,
  }) => {
    await createRun(store, scenarioDir, 'run-1');
    const [found] = await another().folders();
    if (found === undefined) throw new Error('no folder');
    const run = another().at(found);
    assertLike(run, { id: 'run-1', scenario: 'refund-desk', dir: found.dir });
    assert.equal((await run.journal.read()).length, 1);
  },
  'takes a whole id before a beginning, and refuses a beginning of several': async ({ store, scenarioDir }) => {
    await createRun(store, scenarioDir, 'run');
    await createRun(store, scenarioDir, 'run-2');
    await createRun(store, scenarioDir, 'run-3');
    assert.equal((await store.open('run')).id, 'run');
    await assertRejects(store.open('run-'), {
      code: 'not_found',
      message: /could be/,
    });
  },
  'says what is there when there is no such run': async ({ store, scenarioDir }) => {
    await assertRejects(store.open('nope'), {
      code: 'not_found',
      message: /no runs yet/,
    });
    await createRun(store, scenarioDir, 'run-1');
    await assertRejects(store.open('nope'), {
      code: 'not_found',
      message: /run-1/,
    });
    await assertRejects(store.open('./nope'), {
      code: 'not_found',
      message: /not a run folder/,
    });
    await assertRejects(store.open(''), { code: 'not_found' });
  },
  'lists the newest first': async ({ store, scenarioDir, another }) => {
    for (const id of ['b', 'a', 'c']) {
      const run = await createRun(store, scenarioDir, id);
      const [first] = await run.journal.read();
      // Runs created in the same millisecond have no order.
      const began = first?.ts ?? '';
      while (new Date().toISOString() <= began) await new Promise(setImmediate);
    }
    assert.deepEqual(
      (await another().list()).map(({ id }) => id),
      ['c', 'a', 'b'],
    );
  },
  'writes whole files and reads them back': async ({ store, scenarioDir, another }) => {
    const run = await createRun(store, scenarioDir, 'run-1');
    assert.equal(await run.read('out/summary.json'), undefined);
    await run.write('out/summary.json', '{}');
    await run.write('out/summary.json', '{"a":"ä"}');
    assert.equal(await (await another().open('run-1')).read('out/summary.json'), '{"a":"ä"}');
  },
  'keeps what was written first where an event names it, for every writer': async ({ store, scenarioDir, another }) => {
    const run = await createRun(store, scenarioDir, 'run-1');
    const other = await another().open('run-1');
    const path = 'gates/HITL-1.r1/pack.json';
    await assertRejects(run.write(path, '{}'), { code: 'usage' });
    await assertRejects(run.writeOnce('out/summary.json', '{}'), { code: 'usage' });
    const first = await Promise.all([run.writeOnce(path, '{"by":"one"}'), other.writeOnce(path, '{"by":"other"}')]);
    assert.equal(first[0], first[1]);
    assert.equal(await run.writeOnce(path, '{}'), first[0]);
    // Appending an event sends files, but must not replace this one by a process's own version.
    await other.journal.append({ type: 'run.started' }, 'worker:b', 1);
    for (const seen of [run, other, await another().open('run-1')]) assert.equal(await seen.read(path), first[0]);
  },
  ...checksFor(['../x', '/etc/x', 'a/../../x', 'a//b', './a', '', 'a\\b', 'a\0b', 'gates/..'], (path) => [
    `neither writes nor reads outside: ${JSON.stringify(path)}`,
    async ({ store, scenarioDir }: StoreUnderTest) => {
      const run = await createRun(store, scenarioDir, 'run-1');
      await assertRejects(run.write(path, 'x'), { code: 'usage' });
      await assertRejects(run.read(path), { code: 'usage' });
    },
  ]),
  'publishes a transcript, and doing it twice is harmless': async ({ store, scenarioDir, another }) => {
    const { transcripts } = await createRun(store, scenarioDir, 'run-1');
    assert.deepEqual(await transcripts.read('init'), []);
    await transcripts.publish('init', [createEntry(1), createEntry(2, 'line\nbreak \u2028 and "quotes"')]);
    await transcripts.publish('init', [createEntry(1), createEntry(2), createEntry(3)]);
    await (await another().open('run-1')).transcripts.publish('init', [createEntry(3), createEntry(4)]);
    await transcripts.publish('init', [createEntry(4), createEntry(5)]);
    const entries = await transcripts.read('init');
    assert.deepEqual(
      (await transcripts.stored('init')).map(({ id }) => id),
      entries.map(({ id }) => id),
    );
    assert.deepEqual(
      entries.map(({ id }) => id),
      ['e1', 'e2', 'e3', 'e4', 'e5'],
    );
    assert.deepEqual(entries[1], createEntry(2, 'line\nbreak \u2028 and "quotes"'));
    assert.deepEqual(await transcripts.read('execute'), []);
  },
  'a draft is a run for everybody when it is published, and leaves nothing when it is dropped': async ({
    store,
    scenarioDir,
    another,
  }) => {
    const draft = await store.draft(scenarioDir, 'run-1');
    const { run } = draft;
    await run.journal.append(CREATED, 'user:ada', 0);
    await run.transcripts.publish('init', [createEntry(1)]);
    await run.write('handoffs/1.json', '{}');
    assert.deepEqual(await another().list(), []);
    const made = await draft.publish();
    assert.deepEqual([made.id, made.scenario], ['run-1', 'refund-desk']);
    const seen = await another().open('run-1');
    assert.equal((await seen.journal.read()).length, 1);
    assert.deepEqual(await seen.transcripts.read('init'), [createEntry(1)]);
    assert.equal(await seen.read('handoffs/1.json'), '{}');
    await assertRejects(store.draft(scenarioDir, 'run-1'), { code: 'usage' });

    const other = await store.draft(scenarioDir, 'run-2');
    await other.run.journal.append(CREATED, 'user:ada', 0);
    await other.drop();
    await store.create(scenarioDir, 'run-2');
  },
  'a draft that nobody publishes holds no name; of two the first that is published has it': async ({
    store,
    scenarioDir,
    another,
  }) => {
    const killed = await store.draft(scenarioDir, 'run-1');
    await killed.run.journal.append(CREATED, 'user:ada', 0);
    const again = await another().draft(scenarioDir, 'run-1');
    await again.run.journal.append(CREATED, 'user:bob', 0);
    await again.publish();
    await assertRejects(killed.publish(), { code: 'usage' });
    await killed.drop();
    const [event] = await (await another().open('run-1')).journal.read();
    assert.equal(event?.actor, 'user:bob');
  },
  'an id without a first event is taken, and the refusal says how it is begun': async ({ store, scenarioDir }) => {
    await store.create(scenarioDir, 'run-1');
    const refused = await store.draft(scenarioDir, 'run-1').catch((error: unknown) => error);
    assert.match(String(refused), /no first event.*--id run-1 --continue/);
    await assertRejects(store.create(scenarioDir, 'run-1'), { code: 'usage' });
  },
};

export function runStoreCases(make: () => Promise<StoreUnderTest>): ContractCase[] {
  return createCases({ ...CHECKS, ...SPENDING_CHECKS }, make);
}

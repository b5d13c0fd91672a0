/** A short life of a store: each of its operations once, and what came of them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresRunStore } from '../../src/adapters/postgres/postgres-run-store.ts';
import { describeError } from '../../src/errors.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import type { SessionBody } from '../../src/run/session-event.ts';
import { createEntry } from '../contracts/run-store.contract.ts';
import { created, started } from './run-events.ts';

type Step = (name: string, act: () => Promise<unknown>) => Promise<void>;

const PRICE = { input: 1, output: 10, cacheWrite: 1, cacheRead: 0 };
const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1000 };
const SESSION: SessionBody = {
  type: 'session.started',
  ...{ machineVersion: 1, agent: 'session', budgetUsd: 5, simulated: true },
};

/** One line for each operation. */
export async function storeStory(store: PostgresRunStore, work: string): Promise<string[]> {
  const log: string[] = [];
  const step: Step = async (name, act) => {
    const told = await act().then((value) => JSON.stringify(value) ?? '', describeError);
    log.push(`${name} ${told}`);
  };
  const scenarioDir = join(work, 'scenarios/refund-desk');
  let run: RunFolder | undefined;
  await step('create', async () => {
    run = await store.create(scenarioDir, 'run-1');
  });
  if (run !== undefined) {
    await files(run, step);
    await attempt(run, step);
    await shared(run, step);
  }
  await step('an id that is taken', () => store.create(scenarioDir, 'run-1'));
  await step('draft', async () => {
    const draft = await store.draft(scenarioDir, 'run-2');
    await draft.run.write('scenario/b.md', 'b');
    await draft.run.journal.append(created().body, 'user:ada', 0);
    return (await draft.publish()).id;
  });
  await step('dropped draft', async () => (await store.draft(scenarioDir, 'run-3')).drop());
  await step('batch', () => store.batches.write('b1', '{"a":1}'));
  await step('money of a batch', async () =>
    (await store.batches.spending('b1')).reserve({ call: 'r', agent: 'run', model: 'm', worstUsd: 1 }, 5),
  );
  await step('session', () => session(store));
  await step('found', async () => (await store.sessions.find('20261120'))?.id);
  await step('list', async () => (await store.list()).map(({ id }) => id));
  await step('listed', async () => {
    await store.listed.write(new Map([['run-1', { length: 1 }]]));
    return [...(await store.listed.read())];
  });
  await step('written anew', async () => (await store.open('run-2')).write('scenario/b.md', 'other'));
  await step('sweep', () => store.sweep({ only: 'run-2' }));
  await step('remove', async () => store.remove(await store.open('run-2')));
  await step('close', () => store.close());
  return log;
}

async function files(run: RunFolder, step: Step): Promise<void> {
  const { journal, transcripts, spending } = run;
  await step('first event', () => journal.append(created().body, 'user:ada', 0));
  await step('file', () => run.write('scenario/a.md', 'hello'));
  await step('file of pieces', () => run.write('out/large.bin', Buffer.alloc(2_500_000, 7)));
  await step('second event', () => journal.append(started().body, 'worker:a', 1));
  await step('file that is written once', () => run.writeOnce('gates/HITL-1.r1/pack.json', '{}'));
  await step('transcript', () => transcripts.publish('init', [createEntry(1), createEntry(2)]));
  await step('reserve', () => spending.reserve({ call: 'c1', agent: 'init', model: 'm', worstUsd: 4 }, 5));
  await step('settle', () => spending.settle('c1', USAGE, { price: PRICE }));
  await step('spent', () => spending.list());
}

async function attempt({ artifacts }: RunFolder, step: Step): Promise<void> {
  await step('attempt', async () => {
    const made = await artifacts.begin('design.r1', 'design/r1', []);
    await made.remember('0001', { paid: 1 });
    await made.rememberFirst('lane/a', 1);
    const seen = await made.remembered('lane');
    await made.forget('lane');
    await made.write('x.md', 'design');
    await made.share();
    return [seen, await made.recall('0001'), (await artifacts.commit(made)).digest];
  });
  await step('committed', async () => (await artifacts.committed('design/r1', true))?.digest);
  await step('live', async () => (await artifacts.live()).length);
  await step('discard', () => artifacts.discard('design.r1'));
}

async function shared(run: RunFolder, step: Step): Promise<void> {
  await step('lease', () => run.shared.create('lease', 'one'));
  await step('lease again', () => run.shared.create('lease', 'two'));
  // Whoever hears false takes it at the next look: only that it is gone counts.
  await step('lease taken', () => run.shared.take('lease', 'one').then(() => run.shared.read('lease')));
  await step('shared file', () => run.shared.write('p/q', 'x'));
  await step('shared files', async () => [...(await run.shared.list('p'))]);
}

async function session({ sessions }: PostgresRunStore): Promise<void> {
  const folder = await sessions.create('20261120-a');
  await folder.journal.append(SESSION, 'user:ada', 0);
  const turn = await folder.artifacts.begin('turn.1', 'turns/1', []);
  await mkdir(join(folder.dir, 'workspace/sub'), { recursive: true });
  await writeFile(join(folder.dir, 'workspace/sub/note.md'), 'made by a tool');
  await turn.remember('main.tool.1', { content: 'written' });
  await folder.journal.append({ type: 'session.cleared' }, 'user:ada', 1);
}

const TABLES = [
  'SELECT id, scenario, born, length, about FROM $S.run ORDER BY 1',
  `SELECT run, book, seq, regexp_replace(body, '"by":{[^}]*}', '') AS body FROM $S.line ORDER BY 1, 2, 3`,
  'SELECT run, path, digest, bytes FROM $S.file ORDER BY 1, 2',
  'SELECT run, digest, number, octet_length(body) FROM $S.piece ORDER BY 1, 2, 3',
  'SELECT run, step, answer.name FROM $S.attempt LEFT JOIN $S.answer ON id = attempt ORDER BY 1, 2, 3',
];

/** All rows, without what differs each time. */
export async function rowsOf(ask: (text: string) => Promise<unknown[]>, schema: string): Promise<string[]> {
  const found: string[] = [];
  for (const text of TABLES)
    for (const row of await ask(text.replaceAll('$S', schema))) found.push(JSON.stringify(row));
  return found;
}

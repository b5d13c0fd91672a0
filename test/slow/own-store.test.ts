/** A project whose store and queue are plugins, in whole commands: nothing is lost when a worker is killed, and a plugin that fails is named. */
import { execFile } from 'node:child_process';
import { appendFile, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { eventually, makeGround, type Env, type Ground } from '../support/chaos.ts';
import { lastJson, start, tandem } from '../support/cli.ts';
import { approve, detach, reached } from '../support/left-to-workers.ts';

const CONFIG = `import { sqliteQueue } from './plugins/sqlite-queue.mjs';
import { sqliteStore } from './plugins/sqlite-store.mjs';
export default { stores: { rows: sqliteStore }, queues: { rows: sqliteQueue } };
`;

let ground: Ground;
let env: Env;
beforeAll(async () => {
  ground = await makeGround({ rounds: 1, iterations: 1, samples: 4 }, []);
  env = { ...ground.simulator.env, TANDEM_QUEUE: 'plugin:rows' };
  await cp('examples/own-store', join(ground.project, 'plugins'), { recursive: true });
  await writeFile(join(ground.project, 'tandem.config.mjs'), CONFIG);
  await writeFile(
    join(ground.project, 'tandem.yaml'),
    stringify({ version: 1, name: 'rows', store: { plugin: 'rows', options: { file: 'all.sqlite' } } }),
  );
});
afterAll(() => ground.simulator.stop());

test('the store and the queue of examples/own-store keep every contract, in the runner of Node', async () => {
  const args = ['--conditions=tandem-source', '--test', '--test-reporter=tap', 'examples/own-store/contracts.test.mjs'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/^# pass 73$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});

test('workers on a queue of a plugin carry a run to its end over a store of a plugin, also when one is killed', async () => {
  const { project } = ground;
  const id = 'rows-1';
  expect(await detach(project, id, env)).toMatchObject({ code: 0 });
  const why = async () => lastJson(await tandem(project, ['queue', 'why', id, '--json'], env));
  expect(await why()).toMatchObject({ run: id, lane: 'init', state: 'waiting' });
  const begin = () => start(project, ['worker', '--profile', 'chaos', '--grace', '1'], env);
  const killed = begin();
  const calls = ground.simulator.answered();
  await eventually(async () => expect(ground.simulator.answered()).toBeGreaterThan(calls));
  killed.kill('SIGKILL');
  await killed.done;
  const workers = [begin(), begin()];
  await approve(project, id, env);
  const state = await reached(project, id, 'succeeded');
  expect(state.status).toBe('succeeded');
  for (const worker of workers) worker.kill('SIGTERM');
  for (const { done } of workers) expect(await done).toMatchObject({ code: 143 });

  // The rows and the folder say the same, and the whole run is sound.
  const folder = join(project, 'scenarios/chaos-desk/runs', id);
  const names = (await readdir(join(folder, 'events'))).filter((name) => name.endsWith('.json')).toSorted();
  const database = new DatabaseSync(join(project, 'all.sqlite'));
  const rows = database.prepare('SELECT text FROM line WHERE book = ? ORDER BY number');
  const texts = rows.all(`chaos-desk/${id}/events`).map(({ text }) => text);
  expect(texts).toEqual(await Promise.all(names.map((name) => readFile(join(folder, 'events', name), 'utf8'))));
  expect(rows.all(`chaos-desk/${id}/spend`).length).toBeGreaterThan(3);
  database.close();
  expect(await tandem(project, ['verify', id], env)).toMatchObject({ code: 0 });
  expect((await tandem(project, ['status'], env)).stdout).toContain(id);
});

test('a store that fails is named with its file, a name that does not exist with the nearest one', async () => {
  const { project } = ground;
  const run = () =>
    tandem(project, ['run', 'chaos-desk', '--profile', 'chaos', '--on-gate', 'exit'], ground.simulator.env);
  await writeFile(join(project, 'tandem.config.mjs'), CONFIG.replace('rows: sqliteStore', 'row: sqliteStore'));
  const misspelled = await run();
  expect(misspelled.code).toBe(2);
  expect(misspelled.stderr).toMatch(/no plugin stores\.rows in tandem\.config\.mjs\. Did you mean "row"\?/);
  await writeFile(join(project, 'tandem.config.mjs'), CONFIG);
  await appendFile(join(project, 'plugins/sqlite-store.mjs'), 'sqliteStore.x.y;\n');
  const broken = await run();
  expect(broken.code).toBe(2);
  expect(broken.stderr).toMatch(/plugins\/sqlite-store\.mjs:\d+: cannot be loaded/);
});

test('batches at set times are refused by a queue that knows no times', async () => {
  const { project } = ground;
  await writeFile(join(project, 'tandem.yaml'), stringify({ version: 1, name: 'rows' }));
  await cp('examples/own-store/sqlite-store.mjs', join(project, 'plugins/sqlite-store.mjs'));
  const cron = ['batch', 'chaos-desk', '--cron', '0 2 * * *', '--profile', 'chaos', '--on-gate', 'exit'];
  const refused = await tandem(project, cron, env);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('The queue plugin:rows knows no times');
});

/** What lies around a run goes with its copy: people's labels, and what was sent about it, from folders into a store and back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { eventually } from '../support/chaos.ts';
import { start } from '../support/cli.ts';
import {
  graded,
  httpAt,
  jsonOn,
  on,
  portOf,
  put,
  storeMachine,
  useStoreServer,
  type Machine,
} from '../support/store-machines.ts';

const used = useStoreServer();
beforeAll(() => graded({ project: used.made }));

const machine = (user: string, hasScenario = true): Promise<Machine> =>
  storeMachine(used, { space: 'copies', user, hasScenario });

type Written = { by: string; reason: string; seq: number };
async function labelsAt(at: Machine): Promise<string[]> {
  const done = await on(at, ['label', 'r1', '--export', '-']);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  const lines = done.stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as Written).reason);
}

test('labels and sent notices go along, are joined, and nothing is sent twice', async () => {
  const ann = await machine('ann');
  const bob = await machine('bob', false);
  const folders: Machine = { ...ann, env: { ...ann.env, TANDEM_STORE: '' } };
  const store = ann.env['TANDEM_STORE'] ?? '';
  const taken: string[] = [];
  const url = await httpAt(used.https, (_url, body) => {
    taken.push((JSON.parse(body) as { id: string }).id);
    return 'taken';
  });
  const channel = { TANDEM_WEBHOOK_URL: url, TANDEM_WEBHOOK_SECRET: 'sealed' };
  const webhook = { kind: 'webhook', url_env: 'TANDEM_WEBHOOK_URL', secret_env: 'TANDEM_WEBHOOK_SECRET' };
  const reviewers = { version: 1, base_url: 'http://127.0.0.1:7420', reviewers: [], notices: [webhook] };
  for (const at of [ann, bob]) await put(at, 'config/reviewers.yaml', stringify(reviewers));
  const serving = async (at: Machine, work: () => Promise<void>): Promise<void> => {
    const page = start(at.project, ['serve', '--listen', '127.0.0.1:0', '--json'], { ...at.env, ...channel });
    try {
      await portOf(page);
      await work();
    } finally {
      page.kill('SIGTERM');
      await page.done;
    }
  };
  const channelIsThere = (at: Machine) => () =>
    eventually(async () => {
      const { channels } = await jsonOn<{ channels: { since?: string }[] }>(at, 'notices');
      expect(channels[0]?.since).toBeDefined();
    });
  // Both homes have the channel before anything happens, so what ends from now on is news to both.
  for (const at of [folders, ann]) await serving(at, channelIsThere(at));
  const run = (at: Machine, id: string, gate: string) =>
    on(at, ['run', 'small-desk', '--profile', 'demo', '--id', id, '--on-gate', gate]);
  expect(await run(folders, 'r1', 'auto:demo')).toMatchObject({ code: 0 });
  await serving(folders, async () => {
    await eventually(() => Promise.resolve(expect(taken).toContain('r1.ended')));
    await eventually(async () => expect((await jsonOn(folders, 'notices'))['sent']).toBe(taken.length));
  });
  const before = [...taken];
  const [task] = await jsonOn<{ name: string }[]>(folders, 'label', 'r1', '--list');
  const mark = async (at: Machine, reason: string): Promise<void> => {
    const done = await on(at, ['label', 'r1', '--mark', task?.name ?? '', '--as', 'pass', '--reason', reason]);
    expect(done, done.stderr).toMatchObject({ code: 0 });
  };
  await mark(folders, 'in the folder');

  expect(await jsonOn(folders, 'copy', 'r1', '--to', store)).toMatchObject({ labels: 1 });
  expect(await labelsAt(bob)).toEqual(['in the folder']);
  expect(await jsonOn(bob, 'notices')).toMatchObject({ sent: before.length, undelivered: [] });
  expect(await run(ann, 'r2', 'exit')).toMatchObject({ code: 4 });
  const opened = 'r2.HITL-1.r1.opened';
  await serving(bob, () => eventually(() => Promise.resolve(expect(taken).toContain(opened))));
  expect(taken).toEqual([...before, opened]);

  // More in both places: joined here and there, each once, also when the run itself is there already.
  await mark(bob, 'in the store');
  await mark(folders, 'later in the folder');
  const again = await on(folders, ['copy', 'r1', '--to', store]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('has a run r1 already') as string });
  expect(await labelsAt(bob)).toEqual(['in the folder', 'in the store', 'later in the folder']);
  const archive = join(used.root, 'archive');
  expect(await jsonOn(bob, 'copy', 'r1', '--to', archive)).toMatchObject({ labels: 3 });
  const there: Machine = { project: archive, env: { ...bob.env, TANDEM_STORE: '' } };
  expect(await labelsAt(there)).toEqual(['in the folder', 'in the store', 'later in the folder']);
  expect(await jsonOn(there, 'verify', 'r1')).toMatchObject({ ok: true });
  const book = async (project: string): Promise<unknown> =>
    JSON.parse(await readFile(join(project, 'scenarios/small-desk/runs/r1/out/notices.json'), 'utf8'));
  expect(await book(archive)).toEqual(await book(ann.project));
  // A copy has its scenario's labels too, and gives them to the next store.
  const other = `${used.server.url}?space=other`;
  expect(await jsonOn(there, 'copy', 'r1', '--to', other)).toMatchObject({ labels: 3 });
  expect(await jsonOn({ ...bob, env: { ...bob.env, TANDEM_STORE: other } }, 'verify', 'r1')).toMatchObject({
    ok: true,
  });
}, 240_000);

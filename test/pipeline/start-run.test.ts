/** A new run: its folder holds all that later steps need of the scenario, and its id sorts by time. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { findHome } from '../../src/config/home.ts';
import { loadScenario } from '../../src/config/load-scenario.ts';
import { readBrief, newRunId, startRun } from '../../src/pipeline/start-run.ts';
import { begin, makeProject, type Project } from '../support/project.ts';

let project: Project;
let app: App;

beforeAll(async () => {
  project = await makeProject();
  app = await project.open();
});
afterAll(async () => {
  await app.close();
  await project.remove();
});

test('begins with one event that names the scenario and its limits', async () => {
  const run = await begin(project, app, 'first');
  const [created, ...others] = await run.journal.read();
  expect(others).toEqual([]);
  expect(created).toMatchObject({
    actor: 'user:starter',
    body: { type: 'run.created', scenario: 'small-desk', simulated: true, configDigest: 'test' },
  });
});

test('keeps the scenario as it was, whatever is edited later', async () => {
  const run = await begin(project, app, 'frozen');
  const { title, reads } = await readBrief(run);
  await project.edit('scenario.yaml', title, 'Another title');
  expect((await readBrief(run)).title).toBe(title);
  for (const path of reads) expect(await readFile(join(run.dir, 'scenario', path), 'utf8')).not.toBe('');
});

test('a folder without the copy of its scenario is no whole run', async () => {
  const run = await begin(project, app, 'torn');
  await rm(join(run.dir, 'scenario'), { recursive: true });
  await expect(readBrief(run)).rejects.toMatchObject({ code: 'data_corrupt' });
});

test('what was killed before its first event is begun by the same command, and by no other', async () => {
  const options = { actor: 'user:ada', configDigest: 'test', simulated: true, id: 'half' };
  const scenario = await loadScenario(findHome(project.dir), 'small-desk');
  await (await app.deps.store.create(scenario.dir, 'half')).write('scenario/scenario.yaml', 'half');
  await expect(startRun(scenario, options, app.deps)).rejects.toThrow(/no first event.*--id half --continue/);
  const run = await startRun(scenario, { ...options, takesOver: true }, app.deps);
  expect((await readBrief(run)).name).toBe('small-desk');
  expect(await run.journal.read()).toHaveLength(1);
  await expect(startRun(scenario, { ...options, takesOver: true }, app.deps)).rejects.toThrow(
    /exists already.*resume half/,
  );
});

test('ids sort by the time of their run', () => {
  const at = (iso: string) => newRunId(new Date(iso));
  expect(at('2026-11-20T18:15:02.000Z')).toMatch(/^20261120-181502-[0-9a-f]{6}$/);
  expect(at('2026-11-20T18:15:02.000Z') < at('2026-11-20T18:15:03.000Z')).toBe(true);
});

/** A worker whose attempt was taken over says nothing more about the run, however its end looks. */
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import { stateOf } from '../../../src/pipeline/drive/drive.ts';
import { begin, live, makeProject, type Project } from '../../support/project.ts';

let project: Project;
let app: App;
let onStep: () => void | Promise<void> = () => undefined;

beforeAll(async () => {
  project = await makeProject();
  app = await project.open((event) => {
    if (event.type === 'step') void onStep();
  });
});
afterAll(async () => {
  await app.close();
  await project.remove();
});

test('its failure is attempt_lost, and the journal does not hear of it', async () => {
  const run = await begin(project, app);
  await advance(run.id, app.deps, live);
  const wip = join(run.dir, 'wip');
  onStep = async () => {
    const [mine] = await readdir(wip);
    if (mine !== undefined) await rename(join(wip, mine), join(wip, 'design.r1@somebody-else'));
    onStep = () => undefined;
  };
  await expect(advance(run.id, app.deps, live)).rejects.toMatchObject({ code: 'attempt_lost' });
  expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'designing', length: 2, lastFailure: undefined });
  // Whoever has it now goes on with what was paid for.
  const paid = (await run.spending.list()).filter(({ usd }) => usd !== undefined).length;
  expect(paid).toBeGreaterThan(0);
  await advance(run.id, app.deps, live);
  expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'awaiting_approval' });
});

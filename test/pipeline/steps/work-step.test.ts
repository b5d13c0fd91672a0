/** A worker whose attempt was taken over says nothing more about the run, however its end looks. */
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { HarnessError } from '../../../src/errors.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import { stateOf } from '../../../src/pipeline/drive/drive.ts';
import type { Deps } from '../../../src/pipeline/deps.ts';
import type { Artifacts, Attempt } from '../../../src/ports/artifacts.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { begin, live, makeProject, type Project } from '../../support/project.ts';

let project: Project;
let app: App;
let onStep: () => void | Promise<void> = () => undefined;

beforeEach(async () => {
  project = await makeProject();
  app = await project.open((event) => {
    if (event.type === 'step') void onStep();
  });
});
afterEach(async () => {
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

test('a step of which nobody can say whose it is ends with what passes, and not with its own failure', async () => {
  const run = await begin(project, app);
  await advance(run.id, app.deps, live);
  const away = new HarnessError('infrastructure', 'Another server has taken the store over.', { retryable: true });
  const deps = attemptsWith({ recall: () => Promise.reject(new Error('odd')), exists: () => Promise.reject(away) });
  await expect(advance(run.id, deps, live)).rejects.toBe(away);
  expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'designing', lastFailure: undefined });
});

test('a file that is not there is tried again, and ends no run at once', async () => {
  const run = await begin(project, app);
  await advance(run.id, app.deps, live);
  const deps = attemptsWith({ recall: () => readFile(join(run.dir, 'wip/gone')) });
  await expect(advance(run.id, deps, live)).rejects.toMatchObject({ code: 'infrastructure', retryable: true });
  await advance(run.id, app.deps, live);
  expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'awaiting_approval' });
});

function attemptsWith(other: Partial<Attempt>): Deps {
  const open = async (id: string): Promise<RunFolder> => {
    const found = await app.deps.store.open(id);
    const begun: Artifacts['begin'] = async (...given) => ({ ...(await found.artifacts.begin(...given)), ...other });
    return { ...found, artifacts: { ...found.artifacts, begin: begun } };
  };
  return { ...app.deps, store: { ...app.deps.store, open } };
}

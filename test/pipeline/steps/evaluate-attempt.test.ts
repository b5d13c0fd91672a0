/** `submit_iteration`: components that do not prove themselves are refused before anything is paid. */
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import type { StepContext } from '../../../src/pipeline/deps.ts';
import { driveToRest } from '../../../src/pipeline/drive/drive.ts';
import { readBrief } from '../../../src/pipeline/start-run.ts';
import { readApprovedDesign, evaluateAttempt } from '../../../src/pipeline/steps/evaluate-attempt.ts';
import type { ModelFor } from '../../../src/pipeline/steps/step-models.ts';
import { readState } from '../../../src/run-folder/snapshot.ts';
import { begin, decide, live, makeProject, type Project } from '../../support/project.ts';

let project: Project;
let app: App;
let step: StepContext;

const noModel: ModelFor = () => {
  throw new Error('a model was called');
};

beforeAll(async () => {
  project = await makeProject();
  app = await project.open();
  const run = await begin(project, app);
  await decide(app, await driveToRest(run.id, app.deps, live), 'approve', { run: run.id });
  step = { run, state: await readState(run), brief: await readBrief(run), deps: app.deps, signal: live };
});
afterAll(async () => {
  await app.close();
  await project.remove();
});

test('an attempt without components is answered with what is missing, and nothing is paid', async () => {
  const { run } = step;
  const paid = (await run.spending.list()).length;
  const attempt = await run.artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
  const { answer, results } = await evaluateAttempt(step, attempt, noModel);
  expect(answer).toMatchObject({ ok: false, stage: 'verify', problems: expect.arrayContaining([expect.any(String)]) });
  expect(results).toBeUndefined();
  expect((await run.spending.list()).length).toBe(paid);
});

test('a sample whose user would say the opposite of what gold says for it is refused before anything is played', async () => {
  const { run } = step;
  const attempt = await run.artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []);
  await cp(join(project.dir, 'scenarios/small-desk/simulation/files'), attempt.out, { recursive: true });
  const file = join(attempt.out, 'samples/renew-once.json');
  const sample = JSON.parse(await readFile(file, 'utf8')) as { gold: unknown[]; user: object };
  const asked = [{ says: 'May I renew it?' }, { user: 'Yes.' }];
  const knows = { 'agrees to renew it': 'no' };
  const user = { ...sample.user, knows };
  await writeFile(file, JSON.stringify({ ...sample, user, gold: [sample.gold[0], ...asked, sample.gold[1]] }));
  const { answer, results } = await evaluateAttempt(step, attempt, noModel);
  expect(answer).toMatchObject({ ok: false, stage: 'verify' });
  expect(JSON.stringify(answer)).toMatch(
    /user-unlike-gold.*May I renew it\?.* its user answers .*Yes.* says .*No, thank you/,
  );
  expect(results).toBeUndefined();
});

test('a design that was changed after its approval is not built', async () => {
  const { run, state } = step;
  expect((await readApprovedDesign(run, state)).round).toBe(1);
  await appendFile(join(run.dir, 'design/r1/unified_scenario_design.md'), '\nRefund everything.\n');
  await expect(readApprovedDesign(run, state)).rejects.toMatchObject({ code: 'data_corrupt' });
});

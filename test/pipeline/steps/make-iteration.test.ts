/** The step `execute.iN`: its event is made from the committed folder, so that a crash before the append loses nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { sha256 } from '../../../src/disk/sha256.ts';
import type { StepContext } from '../../../src/pipeline/deps.ts';
import { driveToRest } from '../../../src/pipeline/drive/drive.ts';
import { readBrief } from '../../../src/pipeline/start-run.ts';
import { makeIteration, findProblemFaults } from '../../../src/pipeline/steps/make-iteration.ts';
import { handoffPath } from '../../../src/run/layout.ts';
import { createIterationTask } from '../../../src/pipeline/steps/iteration-task.ts';
import { withTranscriptDigest } from '../../../src/run-folder/transcript-digest.ts';
import { readState } from '../../../src/run-folder/snapshot.ts';
import { Results } from '../../../src/scenario/result.ts';
import { begin, decide, live, makeProject, type Project } from '../../support/project.ts';

let project: Project;
let app: App;
let step: StepContext;

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

test('builds, evaluates and commits, and the event has the numbers of results.json', async () => {
  const { run } = step;
  const event = await makeIteration(step);
  const results = JSON.parse((await run.read('execution_outputs/iteration_1/results.json')) ?? '{}');
  expect(event).toMatchObject({
    type: 'iteration.done',
    iteration: 1,
    designDigest: results.designDigest,
    passed: results.passed,
    total: results.total,
    outputDir: 'execution_outputs/iteration_1',
  });
  expect(await run.list('wip')).toEqual([]);
});

test('the cause that Execute names stands next to the evidence, with its notes and the files that decide', async () => {
  const { run } = step;
  const results = Results.parse(JSON.parse((await run.read('execution_outputs/iteration_1/results.json')) ?? '{}'));
  const failed = results.samples.find(({ outcome }) => outcome === 'fail');
  expect(failed).toMatchObject({ cause: '2', claim: { cause: '2', component: 'find_loan' } });
  expect(failed?.uses).toContain('tools/find_loan.mjs');
  expect(results.components?.['tools/find_loan.mjs']).toMatch(/^[0-9a-f]{64}$/);
  expect(results.notes).toEqual(['First hand-in.', expect.stringContaining('Next: find_loan')]);
});

test('made again, it reads what was committed and pays nothing', async () => {
  const paid = (await step.run.spending.list()).length;
  expect(await makeIteration(step)).toEqual(await makeIteration(step));
  expect((await step.run.spending.list()).length).toBe(paid);
});

test('the hand-off that its event names is the same from every worker that makes the step', async () => {
  const { run } = step;
  const path = handoffPath('init', 1);
  const first = await run.read(path);
  const event = await withTranscriptDigest(run, await makeIteration(step), { agent: 'execute', step: 'execute.i1' });
  await run.write(path, 'something else');
  await createIterationTask(step);
  expect(await run.read(path)).toBe(first);
  expect(event).toMatchObject({ handoffs: { [path]: sha256(first ?? '') } });
});

test('results that were judged under another design are refused', async () => {
  const { state } = step;
  if (state.status !== 'executing') throw new Error(state.status);
  const other = { ...step, state: { ...state, designDigest: 'another' } };
  await expect(makeIteration(other)).rejects.toMatchObject({ code: 'data_corrupt' });
});

test('problems of the design name rules and samples that exist, also before a sample ran', async () => {
  const results = Results.parse(
    JSON.parse((await step.run.read('execution_outputs/iteration_1/results.json')) ?? '{}'),
  );
  const { verification } = results;
  const [rule = ''] = Object.keys(verification.coverage);
  const [proof] = verification.proofs;
  const problem = { title: 't', claim: 'c', rules: [rule], samples: [proof?.sample ?? ''] };
  const early = { results: undefined, contradicted: verification };
  expect(findProblemFaults([problem], early)).toEqual([]);
  expect(findProblemFaults([{ ...problem, rules: [rule, 'R99'], samples: ['none'] }], early)).toEqual([
    'There is no sample "none" in this iteration.',
    'Problem "t": R99 is no rule of this design.',
  ]);
  expect(findProblemFaults([problem], { results: undefined, contradicted: undefined })).toEqual([
    expect.stringMatching(
      /^Nothing shows a problem of the design yet\. .* a sample of that case: it covers both rules/,
    ),
  ]);
});

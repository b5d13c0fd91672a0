/** A grader that Execute writes: proven, paid, remembered from one iteration to the next, shown at its report, and taken along. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { Results } from '../../src/scenario/result.ts';
import { approveAll, begin, makeProject } from '../support/project.ts';
import { GRADER, graderAnswer, JUDGE } from '../support/kind-grader.ts';

async function graded(judge: object = JUDGE) {
  const project = await makeProject();
  onTestFinished(() => project.remove());
  const folder = join(project.dir, 'scenarios/small-desk');
  const put = async (path: string, value: unknown) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), stringify(value));
  };
  await put('simulation/judge.yaml', judge);
  await put('simulation/files/graders/kind-refusal.yaml', GRADER);
  const checker = (name: string) =>
    `- { tool: write, input: { file_path: execution_outputs/iteration_1/${name} }, content_file: files/${name} }`;
  const known = checker('checkers/renewed-as-allowed.mjs');
  await project.edit('simulation/execute.yaml', known, `${known}\n          ${checker('graders/kind-refusal.yaml')}`);
  const list = '"checkers": ["loan-read-first", "renewed-as-allowed"]';
  await project.edit('simulation/files/samples/renew-reserved.json', list, `${list}, "graders": ["kind-refusal"]`);
  const app = await project.open();
  onTestFinished(() => app.close());
  const run = await begin(project, app);
  const state = await approveAll(app, run.id);
  const read = async (path: string) => (await run.read(path)) ?? '';
  const results = async (iteration: number) =>
    Results.parse(JSON.parse(await read(`execution_outputs/iteration_${iteration}/results.json`)));
  return { run, state, read, results };
}

test('is proven before the first sample, pays its calls as a grader’s, and the next iteration pays no proof again', async () => {
  const { run, state, read, results } = await graded();
  expect(state.status).toBe('succeeded');
  const [first, second] = [await results(1), await results(2)];
  const [proof] = first.verification.graders ?? [];
  expect(proof?.cases.map(({ kind, got }) => `${kind} ${got}`)).toEqual([
    ...['gold pass', 'orders-to-pass fail', 'padded pass', 'wrong fail', 'silent fail'],
  ]);
  expect(proof?.costUsd).toBeGreaterThan(0);
  expect(second.verification.graders).toEqual([{ ...proof, costUsd: 0 }]);
  const trial = second.samples.find(({ id }) => id === 'renew-reserved')?.trials[0];
  expect(trial?.verdicts.at(-1)).toMatchObject({ checker: 'kind-refusal', pass: true, grader: { counts: false } });
  expect(second.samples.find(({ id }) => id === 'renew-reserved')?.uses).toContain('graders/kind-refusal.yaml');
  const paid = (await run.spending.list()).filter(({ agent }) => agent === 'grader');
  expect(paid.length).toBeGreaterThanOrEqual(6);
  expect(await read('execution_outputs/iteration_2/graders/kind-refusal.yaml')).toContain('kindly');
  expect(await read('execution_outputs/iteration_2/report.md')).toContain('its verdicts are shown and decide nothing');
});

test('a judge that is kind to everybody is refused with its layer, and nothing is played', async () => {
  const lenient = { ...JUDGE, turns: [{ name: 'all', marker: '<record>', steps: [graderAnswer('pass')] }] };
  const { run, state, read } = await graded(lenient);
  expect(state.status).toBe('errored');
  const lanes = (await run.spending.list()).map(({ agent }) => agent);
  expect(lanes).toContain('grader');
  expect(lanes).not.toContain('subject');
  expect(await read('execution_outputs/iteration_1/results.json')).toBe('');
});

/** An upgrade in the middle of an iteration: what an earlier user has played keeps its verdict, and the results name it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../src/adapters/simulated/start.ts';
import { JUDGING_VERSIONS } from '../../src/evaluation/judging-versions.ts';
import { Results } from '../../src/scenario/result.ts';
import { finishedProject, FINISHED_RUN, lastJson, makeProject, start, tandem } from '../support/cli.ts';
import { programWithUser } from '../support/other-program.ts';

/** A third of the calls of the first iteration's subjects. */
const CALLS_BEFORE_KILL = 30;

const readResults = async (project: string, run: string, iteration: number): Promise<Results> => {
  const path = join(
    project,
    'scenarios/refund-desk/runs',
    run,
    `execution_outputs/iteration_${iteration}/results.json`,
  );
  return Results.parse(JSON.parse(await readFile(path, 'utf8')));
};
const listOutcomes = ({ samples }: Results) => samples.map(({ id, outcome, cause }) => ({ id, outcome, cause }));

test('an open run of an earlier user ends as it would have, and says whose its trials are', async () => {
  const calm = await finishedProject();
  const project = await makeProject('refund-desk');
  const bin = await programWithUser('chooser-4', 'statements-0');
  let calls = 0;
  let kill = (): void => undefined;
  const simulator = await startSimulator({
    simulationDir: join(project, 'scenarios/refund-desk/simulation'),
    latencyMs: 20,
    onRequest: ({ model = '' }) => {
      calls += model.includes('haiku') ? 1 : 0;
      if (calls === CALLS_BEFORE_KILL) kill();
    },
  });
  onTestFinished(() => simulator.close());
  const env = { ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'offline' };
  const begun = start({ project, bin }, ['run', 'refund-desk', '--id', 'open', '--on-gate', 'auto:demo'], env);
  kill = () => begun.kill('SIGKILL');
  expect((await begun.done).signal).toBe('SIGKILL');

  const { runs } = lastJson(await tandem(project, ['upgrade-check', '--json'], env)) as { runs: object[] };
  expect(runs).toMatchObject([{ run: 'open', judged: [expect.stringContaining('chooser-4'), expect.anything()] }]);
  const ended = await tandem(project, ['resume', 'open', '--on-gate', 'auto:demo', '--json'], env);
  expect({ code: ended.code, stderr: ended.stderr.slice(-1500) }).toMatchObject({ code: 0 });
  expect(ended.stderr).toContain(`judged   it began with chooser-4`);

  const first = await readResults(project, 'open', 1);
  expect([first.user?.version, first.statements]).toEqual([JUDGING_VERSIONS.user, JUDGING_VERSIONS.statements]);
  const trials = first.samples.flatMap((sample) => sample.trials);
  const earlier = trials.filter(({ judgedBy }) => judgedBy !== undefined);
  expect(earlier[0]?.judgedBy).toEqual({ user: 'chooser-4', statements: 'statements-0' });
  expect(earlier.length).toBeGreaterThan(0);
  expect(earlier.length).toBeLessThan(trials.length);
  const report = join(project, 'scenarios/refund-desk/runs/open/execution_outputs/iteration_1/report.md');
  const told = await readFile(report, 'utf8');
  expect(told).toContain('played and judged before an upgrade, by other versions than the other trials: ');
  expect(told).toContain('(chooser-4, statements-0)');
  for (const iteration of [1, 2, 3])
    expect(listOutcomes(await readResults(project, 'open', iteration))).toEqual(
      listOutcomes(await readResults(calm, FINISHED_RUN, iteration)),
    );
  const last = await readResults(project, 'open', 3);
  expect(last.samples.flatMap((sample) => sample.trials).filter(({ judgedBy }) => judgedBy !== undefined)).toEqual([]);
});

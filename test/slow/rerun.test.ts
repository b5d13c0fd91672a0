/** `tandem rerun` plays a failed sample of a real run again, without a model. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FINISHED_RUN, finishedProject, lastJson, tandem } from '../support/cli.ts';

let project: string;
let run: { run: string; folder: string };

beforeAll(async () => {
  project = await finishedProject();
  run = { run: FINISHED_RUN, folder: join(project, 'scenarios/refund-desk/runs', FINISHED_RUN) };
}, 240_000);
afterAll(() => rm(project, { recursive: true, force: true }));

const rerun = (sample: string, ...more: string[]) => tandem(project, ['rerun', run.run, sample, ...more]);

test('a failed trial fails again for the same reason, and every call answers as it did', async () => {
  const { code, stdout } = await rerun('exchange-in-stock', '--iteration', '1');
  expect(code).toBe(1);
  expect(stdout).toContain('exchange-in-stock, trial 1 of iteration 1: fail, as recorded (no model was called)');
  expect(stdout).toContain('decided at step 4: log_case {"order_id":"hw-2043","outcome":"exchanged"}');
  expect(stdout).toContain('every call answers as it did');
});

test('with repaired components it passes, and the calls that answer otherwise are named', async () => {
  const repaired = join(run.folder, 'execution_outputs/iteration_2');
  const finished = await rerun('exchange-in-stock', '--iteration', '1', '--components', repaired, '--json');
  expect(finished.code).toBe(0);
  expect(lastJson(finished)).toMatchObject({
    recorded: { outcome: 'fail' },
    now: { outcome: 'pass' },
    changed: ['step 4: log_case {"order_id":"hw-2043","outcome":"exchanged"}'],
  });
});

test('a sample or an iteration that is not there is a usage error that names what is', async () => {
  const sample = await rerun('no-such-sample');
  expect(sample).toMatchObject({ code: 2, stderr: expect.stringContaining('exchange-in-stock') });
  const iteration = await rerun('exchange-in-stock', '--iteration', '9');
  expect(iteration).toMatchObject({ code: 2, stderr: expect.stringContaining('has results of 1, 2, 3') });
});

/** One whole run, for every day: real files, real sandbox, the real client against the offline model. The others are slow. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { summarise } from '../../src/pipeline/summarise.ts';
import { approveAll, begin, makeProject } from '../support/project.ts';

test('approved at once, a run repairs its own failure, meets the target and leaves nothing half-made (C.2, S0.18, S0.25)', async () => {
  const project = await makeProject();
  const app = await project.open();
  try {
    const run = await begin(project, app);
    const state = await approveAll(app, run.id);
    expect(state).toMatchObject({ status: 'succeeded', round: 1, iteration: 2, verdict: { because: 'target' } });
    expect((await run.journal.read()).map((event) => event.body.type)).toEqual([
      'run.created',
      'run.started',
      'design.done',
      'gate.decided',
      'step.begun',
      'iteration.done',
      'iteration.done',
    ]);
    expect(await readdir(join(run.dir, 'wip'))).toEqual([]);
    const { spend, iterations } = await summarise(run, 'x');
    expect(spend.calls).toBeGreaterThan(10);
    expect(iterations.map(({ layers }) => layers['2'])).toEqual([1, 0]);
  } finally {
    await app.close();
    await project.remove();
  }
});

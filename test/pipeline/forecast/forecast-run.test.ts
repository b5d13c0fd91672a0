/** Forecasts of a real run against the offline model: before it, at its gate, and of the next one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHome } from '../../../src/config/home.ts';
import { loadScenario } from '../../../src/config/load-scenario.ts';
import { ReviewPack } from '../../../src/gate/rules/review-pack.ts';
import { driveToRest } from '../../../src/pipeline/drive/drive.ts';
import { createForecastDeps, forecastRun } from '../../../src/pipeline/forecast/forecast-run.ts';
import { readRunUse } from '../../../src/pipeline/forecast/forecast-run.ts';
import { approveAll, begin, live, makeProject } from '../../support/project.ts';

test('a gate shows what is still to be paid, and an ended run makes the next forecast of its scenario', async () => {
  const project = await makeProject();
  const app = await project.open();
  try {
    const scenario = await loadScenario(findHome(project.dir), 'small-desk');
    const forecasting = createForecastDeps(app.deps, live);
    const before = await forecastRun(scenario, forecasting);
    expect(before.runs).toEqual({ same: 0, other: 0 });

    const run = await begin(project, app);
    await driveToRest(run.id, app.deps, live);
    const pack = ReviewPack.parse(JSON.parse(await readFile(join(run.dir, 'gates/HITL-1.r1/pack.json'), 'utf8')));
    expect(pack.effect.estimateUsd).toBe(pack.effect.forecast?.p50);
    expect(pack.effect.estimateUsd).toBeLessThan(before.p50);

    await approveAll(app, run.id);
    const paid = (await run.spending.list()).reduce((sum, { usd }) => sum + usd, 0);
    const use = await readRunUse(run);
    expect(use).toMatchObject({ rounds: 1, iterations: 2, samples: 3, samplesMin: 3 });
    expect(use.perTrial).toMatchObject([{ who: 'subject', model: 'claude-haiku-5-5' }]);

    const after = await forecastRun(scenario, forecasting);
    expect(after.runs).toEqual({ same: 1, other: 0 });
    expect(Math.abs(after.p50 - paid)).toBeLessThan(Math.abs(before.p50 - paid));
    const real = await forecastRun(scenario, { ...forecasting, simulated: false });
    expect(real.runs).toEqual({ same: 0, other: 0 });
  } finally {
    await app.close();
    await project.remove();
  }
});

/** Forecasts the cost of simulated users in a components folder where a model plays them. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { findModel } from '../../app/models/known-model.ts';
import type { Home } from '../../config/home.ts';
import { loadScenario } from '../../config/load-scenario.ts';
import { parseJson } from '../../parse-json.ts';
import { Sample } from '../../scenario/sample.ts';
import { userModelName } from '../../scenario/subject.ts';
import { userCost } from '../../scenario/user-cost.ts';

/** Undefined when no model plays a user, or the folder belongs to no scenario. */
export async function userCostLine(home: Home, dir: string): Promise<string | undefined> {
  const around = scenarioOver(dir, home.project);
  const scenario = around === undefined ? undefined : await loadScenario(home, around);
  const model = scenario === undefined ? undefined : userModelName(scenario.brief);
  if (scenario === undefined || model === undefined) return undefined;
  const { brief } = scenario;
  const played = (await samplesIn(dir)).filter(({ user }) => (user.simulator ?? brief.user.simulator) === 'model');
  if (played.length === 0) return undefined;
  const trials = played.reduce((sum, sample) => sum + (sample.trials ?? brief.trials), 0);
  const who = `The user of ${played.length} ${played.length === 1 ? 'sample' : 'samples'} is played by ${model}`;
  const known = await findModel(home, model);
  if (known === undefined) return `${who}, whose price config/models.yaml does not say.`;
  const { about, atMost } = userCost(brief, trials, known.price);
  return `${who}: about $${about.toFixed(3)} an iteration, at most $${atMost.toFixed(2)} (${trials} trials; limits.usd of a sample caps it).`;
}

/** Returns the nearest folder above that holds a scenario.yaml, and none outside `project`. */
export function scenarioOver(dir: string, project?: string): string | undefined {
  const above = dirname(dir);
  if (project !== undefined && relative(project, above).startsWith('..')) return undefined;
  if (existsSync(join(above, 'scenario.yaml'))) return above;
  return above === dir ? undefined : scenarioOver(above, project);
}

async function samplesIn(dir: string): Promise<Sample[]> {
  const folder = join(dir, 'samples');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => Sample.safeParse(parseJson(text)).data ?? []);
}

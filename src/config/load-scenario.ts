/** A scenario folder: found by name or path, its `scenario.yaml` parsed, its sources checked, all of it hashed. */
import { cp, readFile, realpath, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { HarnessError } from '../errors.ts';
import { Brief } from '../scenario/brief.ts';
import { namesIn, type Home } from './home.ts';
import { readYamlFile } from './yaml-file.ts';

export type Scenario = {
  brief: Brief;
  /** Absolute. */
  dir: string;
  /** sha256 over scenario.yaml and every file that Init may read. */
  digest: string;
  /** Absolute, when the scenario has scripts for the offline model. */
  simulationDir: string | undefined;
  /** True when a shipped scenario was just copied into the project. */
  copied: boolean;
};

export async function loadScenario(home: Home, nameOrPath: string): Promise<Scenario> {
  return loadAt(await locate(home, nameOrPath));
}

/** The scenario of a run: the folder that the run is in; else, for a run that was copied, one of that name. Nothing is written. */
export async function scenarioOfRun(home: Home, run: { dir: string; scenario: string }): Promise<Scenario> {
  const named = [home.project, home.shipped].map((at) => join(at, 'scenarios', run.scenario));
  const dir = scenarioAround(run) ?? named.find((place) => existsSync(join(place, 'scenario.yaml')));
  if (dir !== undefined) return loadAt({ dir: await realpath(dir), copied: false });
  throw new HarnessError(
    'not_found',
    `Run ${run.dir} is of scenario ${run.scenario}, which is not here: copy that folder to ${join(home.project, 'scenarios', run.scenario)}, or go to the project that has it.`,
  );
}

/** Undefined for a run that does not lie in the `runs/` of a scenario. */
export function scenarioAround(run: { dir: string }): string | undefined {
  const around = resolve(run.dir, '../..');
  return existsSync(join(around, 'scenario.yaml')) ? around : undefined;
}

async function loadAt({ dir, copied }: { dir: string; copied: boolean }): Promise<Scenario> {
  const shown = join('scenarios', basename(dir), 'scenario.yaml');
  const brief = await readYamlFile(join(dir, 'scenario.yaml'), Brief, shown);
  if (brief.name !== basename(dir)) {
    throw new HarnessError(
      'config_invalid',
      `${shown}: name: is "${brief.name}", but the folder is named "${basename(dir)}". Make them the same.`,
    );
  }
  const hash = createHash('sha256').update(await readFile(join(dir, 'scenario.yaml')));
  for (const path of brief.reads) hash.update(`\0${path}\0`).update(await readSource(dir, path, shown));
  const simulation = join(dir, 'simulation');
  return {
    brief,
    dir,
    copied,
    digest: hash.digest('hex'),
    simulationDir: existsSync(simulation) ? simulation : undefined,
  };
}

async function locate(home: Home, nameOrPath: string): Promise<{ dir: string; copied: boolean }> {
  const asPath = resolve(nameOrPath);
  if (/[/\\.]/.test(nameOrPath) && existsSync(join(asPath, 'scenario.yaml')))
    return { dir: await realpath(asPath), copied: false };
  const own = join(home.project, 'scenarios', nameOrPath);
  const plainName = /^[a-z0-9][a-z0-9-]*$/.test(nameOrPath);
  if (plainName && existsSync(join(own, 'scenario.yaml'))) return { dir: await realpath(own), copied: false };
  const shipped = join(home.shipped, 'scenarios', nameOrPath);
  if (plainName && existsSync(join(shipped, 'scenario.yaml'))) {
    // Runs are written into the scenario's folder, which must not be one inside node_modules.
    await cp(shipped, own, { recursive: true, filter: (source) => !source.startsWith(join(shipped, 'runs')) });
    return { dir: await realpath(own), copied: true };
  }
  const known = namesIn(home, 'scenarios').join(', ') || 'none yet';
  throw new HarnessError(
    'usage',
    `No scenario is named "${nameOrPath}". There are: ${known}. A new one: tandem init <name>.`,
  );
}

async function readSource(dir: string, path: string, shown: string): Promise<Buffer> {
  const full = await realpath(join(dir, path)).catch(() => undefined);
  const inside = full?.startsWith(dir + sep) === true && (await stat(full)).isFile();
  if (full === undefined || !inside) {
    throw new HarnessError('config_invalid', `${shown}: reads: "${path}" is not a file inside the scenario's folder.`);
  }
  return readFile(full);
}

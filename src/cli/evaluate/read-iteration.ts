/** Finds what a name on the command line means: an iteration's results, a results file, or a folder of components. */
import { readdir, stat, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { HarnessError, usageError, isHarnessError } from '../../errors.ts';
import { outputDir } from '../../run/layout.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import { Results } from '../../scenario/result.ts';
import type { Io } from '../command-context.ts';
import { settleByLabels } from '../../pipeline/evaluation/settled-results.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { readNamedText } from '../../disk/read-named-file.ts';
import { manifestDigest, makeManifest } from '../../disk/manifest.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import type { Design } from '../../scenario/design.ts';

export type NamedResults = {
  /** With the doubtful verdicts that people's labels have settled. */
  results: Results;
  written: Results;
  /** Absolute folder that holds `results.json` and `traces/`. */
  dir: string;
  /** Id of the run, or a substitute where there is none. */
  run: string;
  labels?: SharedFiles | undefined;
};

export async function readIteration(name: string, iteration: string | undefined, io: Io): Promise<NamedResults> {
  const path = (await findEvaluation(name, io)) ?? resolve(io.cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return readNamedResults(path, basename(dirname(path)));
  const holds = await stat(join(path, 'results.json')).catch(() => undefined);
  if (found?.isDirectory() === true && holds !== undefined)
    return readNamedResults(join(path, 'results.json'), basename(path));
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const state = await readState(run);
  const numbers = state.iterations.filter(({ total }) => total > 0).map((one) => one.iteration);
  const number = iteration === undefined ? numbers.at(-1) : Number(iteration);
  if (number === undefined || !numbers.includes(number)) {
    const known = numbers.join(', ') || 'no iteration yet';
    throw usageError(`Run ${run.id} has results of ${known}. Name one with --iteration <n>.`);
  }
  return readNamedResults(join(run.dir, outputDir(number), 'results.json'), run.id, run.around?.labels);
}

async function readNamedResults(file: string, run: string, labels?: SharedFiles): Promise<NamedResults> {
  const [written, dir] = [await readResultsFile(file), dirname(file)];
  return { results: await settleByLabels(written, { dir, labels }), written, dir, run, labels };
}

/** Finds `desk~3` as the pages name an evaluation without a run, and `desk~` as the last one; undefined otherwise. */
async function findEvaluation(name: string, io: Io): Promise<string | undefined> {
  const [, scenario, number] = /^([a-z0-9][a-z0-9-]*)~([1-9]\d*)?$/.exec(name) ?? [];
  if (scenario === undefined) return undefined;
  const place = join(findHome(io.cwd).project, 'scenarios', scenario, 'evaluations');
  const names: string[] = await readdir(place).catch(() => []);
  const last = Math.max(0, ...names.filter((one) => /^[1-9]\d*$/.test(one)).map(Number));
  if (last === 0) throw new HarnessError('not_found', `${scenario} has no evaluation: tandem evaluate ${scenario}`);
  return join(place, number ?? String(last));
}

/** Throws `version_mismatch` for results of a newer version, and `data_corrupt` with the place for invalid ones. */
export async function readResultsFile(file: string): Promise<Results> {
  return parseFile(Results, await readNamedText(file), file);
}

const PARTS = ['tools', 'checkers', 'samples'];

/**
 * Returns an absolute path: the folder itself; for a scenario the last iteration of its newest run, or else what
 * its offline model writes first (an import is stored there). Undefined when there is none.
 */
export async function componentsIn(dir: string): Promise<string | undefined> {
  const names: string[] = await readdir(dir).catch(() => []);
  if (PARTS.some((part) => names.includes(part))) return dir;
  if (names.includes('execution_outputs')) return lastWithComponents(join(dir, 'execution_outputs'));
  const ofRuns = names.includes('runs') ? await lastWithComponents(join(dir, 'runs')) : undefined;
  return ofRuns ?? (names.includes('simulation') ? componentsIn(join(dir, 'simulation/files/i1')) : undefined);
}

async function lastWithComponents(dir: string): Promise<string | undefined> {
  const names = (await readdir(dir)).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  for (const name of names) {
    const found = await componentsIn(join(dir, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Accepts a folder, a scenario or a run; throws `usage` when it has no components. */
export async function namedComponents(name: string, io: Io): Promise<string> {
  const scenario = join(findHome(io.cwd).project, 'scenarios', name);
  const dir =
    (await componentsIn(resolve(io.cwd, name))) ?? (await componentsIn(scenario)) ?? (await componentsOfRun(name, io));
  if (dir !== undefined) return dir;
  throw usageError(
    `${name}: has none of tools/, checkers/ and samples/. Name a components folder, a scenario or a run.`,
  );
}

/** Undefined when there is no such run. */
async function componentsOfRun(name: string, io: Io): Promise<string | undefined> {
  const run = await openStore(findHome(io.cwd))
    .store.open(name)
    .catch((error: unknown) => {
      if (isHarnessError(error, 'not_found') || isHarnessError(error, 'usage')) return undefined;
      throw error;
    });
  return run === undefined ? undefined : componentsIn(run.dir);
}

/** Loads the design at `named`, or else the one in the folder of the components or of their run. */
export async function designFor(dir: string, named: string | undefined): Promise<Design> {
  const place = await findDesignFolder(dir, named);
  const { parts, problems } = await readDesign(place, place).catch((cause: unknown) => {
    throw new HarnessError('not_found', `${place}: cannot be read as a design folder.`, { cause });
  });
  if (parts === undefined) throw new HarnessError('config_invalid', problems.join('\n'));
  return { round: 1, digest: await digestOfFolder(place), ...parts };
}

/** Throws `usage` when there is no design. */
export async function findDesignFolder(dir: string, named: string | undefined): Promise<string> {
  const place = named ?? (await findDesign(dir));
  if (place !== undefined) return place;
  throw usageError(`${dir}: no design was found next to it. Name its folder with --design <dir>.`);
}

async function findDesign(dir: string): Promise<string | undefined> {
  const inRun = join(dir, '../../design');
  const rounds = (await readdir(inRun).catch(() => [])).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const places = [
    ...['design', '../r1', '../design'].map((place) => join(dir, place)),
    ...rounds.toReversed().map((round) => join(inRun, round)),
  ];
  const designs: string[] = [];
  for (const place of places) {
    if ((await stat(join(place, 'business_rules.yaml')).catch(() => undefined)) !== undefined) designs.push(place);
  }
  const wanted = await judgedUnder(dir);
  if (wanted === undefined) return designs[0];
  // A reviewer may have edited a round's design: the digest identifies the folder that was meant.
  for (const place of designs) if ((await digestOfFolder(place)) === wanted.digest) return place;
  return designs.find((place) => place.endsWith(`r${wanted.round}`)) ?? designs[0];
}

async function judgedUnder(dir: string): Promise<{ round: number; digest: string } | undefined> {
  const text = await readFile(join(dir, 'results.json'), 'utf8').catch(() => '');
  const round = /"round":\s*(\d+)/.exec(text)?.[1];
  const digest = /"designDigest":\s*"(\w+)"/.exec(text)?.[1];
  return round === undefined || digest === undefined ? undefined : { round: Number(round), digest };
}

async function digestOfFolder(place: string): Promise<string> {
  return manifestDigest(await makeManifest(place, false));
}

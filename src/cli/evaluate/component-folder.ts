/** Finds a folder of components and the design that belongs to it from the name that a person typed. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { manifestDigest, makeManifest } from '../../disk/manifest.ts';
import { HarnessError, isHarnessError, usageError } from '../../errors.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import type { Design } from '../../scenario/design.ts';
import type { Io } from '../io.ts';

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

/** Reads the results of one iteration, named by run and number, by an iteration's folder, or by a results file. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { outputDir } from '../../run/layout.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { Results } from '../../scenario/result.ts';
import type { Io } from '../io.ts';
import { settleByLabels } from '../../pipeline/evaluation/settled-results.ts';
import { readResultsFile } from './read-results-file.ts';
import { readState } from '../../run-folder/snapshot.ts';

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
  if (found?.isFile() === true) return resultsIn(dirname(path), basename(path), basename(dirname(path)));
  const holds = await stat(join(path, 'results.json')).catch(() => undefined);
  if (found?.isDirectory() === true && holds !== undefined) return resultsIn(path, 'results.json', basename(path));
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const state = await readState(run);
  const numbers = state.iterations.filter(({ total }) => total > 0).map((one) => one.iteration);
  const number = iteration === undefined ? numbers.at(-1) : Number(iteration);
  if (number === undefined || !numbers.includes(number)) {
    const known = numbers.join(', ') || 'no iteration yet';
    throw usageError(`Run ${run.id} has results of ${known}. Name one with --iteration <n>.`);
  }
  const named = await resultsIn(join(run.dir, outputDir(number)), 'results.json', run.id);
  const labels = run.around?.labels;
  return { ...named, results: await settleByLabels(named.written, { dir: named.dir, labels }), labels };
}

async function resultsIn(dir: string, file: string, run: string): Promise<NamedResults> {
  const written = await readResultsFile(join(dir, file));
  return { results: await settleByLabels(written, { dir }), written, dir, run };
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

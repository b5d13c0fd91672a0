/** Results as columns (iterations of a run, or subjects of an evaluation), so that the same pages show both. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { confinePath } from '../../../disk/confine.ts';
import { HarnessError, ignoreHarnessError } from '../../../errors.ts';
import type { Designs } from '../../../ports/decisions.ts';
import { ONLY_COLUMN } from './matrix.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { readDesign } from '../../../run-folder/read-design.ts';
import { readResults } from '../../../run-folder/read-results.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import { currentDesignDir } from '../../../run/layout.ts';
import type { BusinessRule } from '../../../scenario/design.ts';
import { evaluationKey, type ListedEvaluation, type ReviewDeps } from '../../web-deps.ts';
import { findRun } from '../find-run.ts';

export type ResultColumn = {
  /** The column's number in addresses. */
  iteration: number;
  /** The column's name in a sentence: `iteration 3`, `subject cheap`. */
  where: string;
  /** The column's name at its head. */
  short: string;
  round: number;
  /** The folder of its results, relative to `dir`. */
  outputDir: string;
};

export type ResultSource = Pick<RunFolder, 'id' | 'scenario' | 'dir' | 'read' | 'list' | 'around'> & {
  /** The name in addresses. */
  key: string;
  columns: readonly ResultColumn[];
  /** Returns the rules of the design that a column was played under; empty when it cannot be read. */
  rules: (column: Pick<ResultColumn, 'round' | 'outputDir'>) => Promise<readonly BusinessRule[]>;
  /** Undefined for an evaluation, on which no agent works and for which nobody labels. */
  run?: RunFolder;
};

export type ResultDeps = Pick<ReviewDeps, 'store' | 'evaluations' | 'designs'>;

export async function findResultSource(deps: ResultDeps, key: string): Promise<ResultSource> {
  const [, scenario, name] = /^([^~]+)~(.+)$/s.exec(key) ?? [];
  if (scenario === undefined) return openRunResults(key, await findRun(deps.store, key), deps.designs);
  const found = (await deps.evaluations.list()).find((one) => one.scenario === scenario && one.name === name);
  if (found === undefined) throw new HarnessError('not_found', 'There is no such evaluation here.');
  return openEvaluation(found);
}

export async function openRunResults(key: string, run: RunFolder, designs: Designs): Promise<ResultSource> {
  const state = await readState(run);
  return {
    ...{ id: run.id, scenario: run.scenario, dir: run.dir, key, run },
    ...(run.around && { around: run.around }),
    read: (path) => run.read(path),
    list: (folder) => run.list(folder),
    columns: state.iterations.map(({ iteration, round, outputDir }) => ({
      ...{ iteration, round, outputDir, where: `iteration ${iteration}`, short: `i${iteration}` },
    })),
    rules: async ({ round }) => {
      const design = await designs.read(run, currentDesignDir(state, round)).catch(ignoreHarnessError);
      return design?.rules.rules ?? [];
    },
  };
}

async function openEvaluation(found: ListedEvaluation): Promise<ResultSource> {
  const { dir, scenario, subjects } = found;
  /** One subject's results are in the folder itself, so its paths begin with `./`. */
  const inside = (path: string): string => confinePath(dir, path.replace(/^\.\//, ''));
  const read = (path: string): Promise<string | undefined> => readFile(inside(path), 'utf8').catch(() => undefined);
  const places =
    subjects.length === 0
      ? [{ short: ONLY_COLUMN, where: 'evaluation', outputDir: '.' }]
      : subjects.map((name) => ({ short: name, where: `subject ${name}`, outputDir: name }));
  const columns: ResultColumn[] = [];
  for (const [index, place] of places.entries()) {
    const round = (await readResults({ dir, read }, index + 1, place.outputDir))?.round ?? 1;
    columns.push({ ...place, iteration: index + 1, round });
  }
  return {
    ...{ id: found.name, key: evaluationKey(found), scenario, dir, read, columns },
    list: async (folder) => {
      const place = inside(folder);
      const names = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
      return names
        .filter((one) => one.isFile())
        .map((one) => `${folder}/${relative(place, join(one.parentPath, one.name))}`);
    },
    rules: async ({ outputDir }) => {
      const { parts } = await readDesign(join(dir, outputDir, 'design'), 'design').catch(() => ({ parts: undefined }));
      return parts?.rules.rules ?? [];
    },
  };
}

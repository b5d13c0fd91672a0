/** Results as columns: the iterations of a run, or the subjects of an evaluation, so that one set of pages shows both. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { confine } from '../../../disk/confine.ts';
import { HarnessError, isHarnessError } from '../../../errors.ts';
import type { Designs } from '../../../ports/decisions.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { readDesign } from '../../../run-folder/read-design.ts';
import { readResults } from '../../../run-folder/read-results.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import { currentDesignDir } from '../../../run/layout.ts';
import type { BusinessRule } from '../../../scenario/design.ts';
import type { Compared } from '../../../scenario/statistics/compare-subjects.ts';
import { evaluationKey, type ListedEvaluation, type ReviewDeps } from '../../web-deps.ts';
import { findRun } from '../find-run.ts';

export type EvaluatedColumn = {
  /** As in an address. */
  iteration: number;
  /** As in a sentence: `iteration 3`, `subject cheap`. */
  where: string;
  /** As at the head of a column. */
  short: string;
  round: number;
  /** Of its results, relative. */
  outputDir: string;
};

export type Evaluated = Pick<RunFolder, 'id' | 'scenario' | 'dir' | 'read' | 'list'> & {
  /** As in an address. */
  key: string;
  columns: readonly EvaluatedColumn[];
  /** Of the design that a column was played under; empty where it cannot be read. */
  rules: (column: Pick<EvaluatedColumn, 'round' | 'outputDir'>) => Promise<readonly BusinessRule[]>;
  /** The run; undefined for an evaluation, which no agent works on and nobody labels. */
  run?: RunFolder;
  /** Of several subjects, at the end. */
  compared?: Compared | undefined;
};

export async function findEvaluated(
  deps: Pick<ReviewDeps, 'store' | 'evaluations' | 'designs'>,
  key: string,
): Promise<Evaluated> {
  const [, scenario, name] = /^([^~]+)~(.+)$/s.exec(key) ?? [];
  if (scenario === undefined) return evaluatedRun(key, await findRun(deps.store, key), deps.designs);
  const found = (await deps.evaluations.list()).find((one) => one.scenario === scenario && one.name === name);
  if (found === undefined) throw new HarnessError('not_found', 'There is no such evaluation here.');
  return evaluation(found);
}

export async function evaluatedRun(key: string, run: RunFolder, designs: Pick<Designs, 'read'>): Promise<Evaluated> {
  const state = await readState(run);
  return {
    ...{ id: run.id, scenario: run.scenario, dir: run.dir, key, run },
    read: (path) => run.read(path),
    list: (folder) => run.list(folder),
    columns: state.iterations.map(({ iteration, round, outputDir }) => ({
      ...{ iteration, round, outputDir, where: `iteration ${iteration}`, short: `i${iteration}` },
    })),
    rules: async ({ round }) => {
      try {
        return (await designs.read(run, currentDesignDir(state, round))).rules.rules;
      } catch (error) {
        if (isHarnessError(error)) return [];
        throw error;
      }
    },
  };
}

async function evaluation(found: ListedEvaluation): Promise<Evaluated> {
  const { dir, scenario, subjects, compared } = found;
  /** One subject's results are in the folder itself, so its paths begin with `./`. */
  const inside = (path: string): string => confine(dir, path.replace(/^\.\//, ''));
  const read = (path: string): Promise<string | undefined> => readFile(inside(path), 'utf8').catch(() => undefined);
  const places =
    subjects.length === 0
      ? [{ short: 'result', where: 'evaluation', outputDir: '.' }]
      : subjects.map((name) => ({ short: name, where: `subject ${name}`, outputDir: name }));
  const columns: EvaluatedColumn[] = [];
  for (const [index, place] of places.entries()) {
    const round = (await readResults({ dir, read }, index + 1, place.outputDir))?.round ?? 1;
    columns.push({ ...place, iteration: index + 1, round });
  }
  return {
    ...{ id: found.name, key: evaluationKey(found), scenario, dir, read, columns, compared },
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

/** Every run as one row; an unreadable run has a row too. */
import { ignoreHarnessError } from '../../errors.ts';
import type { RunState } from '../../run/state.ts';
import { evaluationKey, type ListedEvaluation, type ReviewDeps } from '../web-deps.ts';
import { runKeys } from './find-run.ts';
import { readMatrix } from './results/read-matrix.ts';
import { findResultSource, type ResultDeps } from './results/result-source.ts';
import { getRunIndex } from '../../run-folder/run-index.ts';

export type RunRow = {
  key: string;
  scenario: string;
  /** `evaluated` is an evaluation, on which no agent works. */
  status: RunState['status'] | 'unreadable' | 'newer' | 'evaluated';
  round: number;
  iteration: number;
  rate: number | undefined;
  /** US dollars; undefined while not known. */
  usd: number | undefined;
  startedAt: string | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
  /** What each subject of an evaluation of several passes. */
  passed?: string;
  /** The absolute path of the run folder. */
  dir: string;
};

const NOTHING_KNOWN = { round: 0, iteration: 0, rate: undefined, usd: undefined };

/** Returns a row for every run that is not archived, and every evaluation, newest first, including unreadable runs. */
export async function runRows(deps: Pick<ReviewDeps, 'store' | 'evaluations' | 'listArchived'>): Promise<RunRow[]> {
  const { store, evaluations, listArchived } = deps;
  const { runs: all, unreadable } = await getRunIndex(store).look();
  const archived = await listArchived?.();
  const runs = all.filter(({ dir }) => archived?.has(dir) !== true);
  const keyOf = runKeys([...runs, ...unreadable]);
  const rows: RunRow[] = [
    ...runs.map((run) => ({
      ...{ key: keyOf(run), scenario: run.scenario, status: run.status as RunRow['status'], dir: run.dir },
      ...{ round: run.round, iteration: run.iteration, rate: run.rate, usd: run.usd, startedAt: run.startedAt },
      labels: run.labels,
    })),
    ...unreadable.map((run) => ({
      ...{ ...NOTHING_KNOWN, key: keyOf(run), scenario: run.scenario, startedAt: undefined, dir: run.dir },
      status: run.isNewer ? ('newer' as const) : ('unreadable' as const),
    })),
  ];
  return [...rows, ...(await evaluations.list()).map(evaluationRow)].toSorted(byAge);
}

function evaluationRow(evaluation: ListedEvaluation): RunRow {
  const { scenario, dir, at } = evaluation;
  return {
    ...{ ...NOTHING_KNOWN, key: evaluationKey(evaluation), scenario, status: 'evaluated', dir, startedAt: at },
  };
}

function byAge(one: RunRow, other: RunRow): number {
  // For thousands of runs, comparing code units is many times faster than comparing by language rules.
  const [mine, its] = [one.startedAt ?? '', other.startedAt ?? ''];
  if (mine !== its) return mine < its ? 1 : -1;
  return one.key < other.key ? -1 : 1;
}

/** Maximum number of journals or ledgers read at the same time, as each needs some open files. */
const AT_ONCE = 16;

/** Adds the cost so far of the runs that are still in progress, and the rate and cost of evaluations. */
export async function withCosts(rows: readonly RunRow[], deps: ResultDeps): Promise<RunRow[]> {
  const found = [...rows];
  const left = rows.entries();
  const readOn = async (): Promise<void> => {
    for (const [index, row] of left) {
      const { usd, dir, key, scenario, status } = row;
      if (usd !== undefined || status === 'unreadable' || status === 'newer') continue;
      if (status === 'evaluated') {
        const { columns } = await readMatrix(await findResultSource(deps, key));
        const passed = columns.map((one) => `${one.short} ${one.passed} of ${one.total}`).join(', ');
        const cost = columns.reduce((sum, one) => sum + one.usd, 0);
        found[index] = { ...row, usd: cost, ...(columns.length === 1 ? { rate: columns[0]?.rate } : { passed }) };
        continue;
      }
      const paid = await deps.store.at({ id: key, scenario, dir }).spending.list().catch(ignoreHarnessError);
      found[index] = { ...row, usd: paid?.reduce((sum, one) => sum + one.usd, 0) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return found;
}

/** Maps run folders to batch ids; the newest batch is used if several name the run. */
export async function mapRunsToBatches({ batches }: Pick<ReviewDeps, 'batches'>): Promise<ReadonlyMap<string, string>> {
  const oldestFirst = (await batches.list()).toReversed();
  return new Map(oldestFirst.flatMap(({ id, runs }) => runs.map((dir) => [dir, id])));
}

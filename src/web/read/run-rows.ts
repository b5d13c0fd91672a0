/** Every run in one line; one that cannot be read is a line too. */
import { isHarnessError, type HarnessError } from '../../errors.ts';
import type { RunEvent } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { runKeys } from './find-run.ts';
import { indexOf } from '../../run-folder/run-index.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export type RunRow = {
  key: string;
  scenario: string;
  status: RunState['status'] | 'unreadable' | 'newer';
  round: number;
  iteration: number;
  rate: number | undefined;
  /** US dollars; undefined where it is not known yet. */
  usd: number | undefined;
  startedAt: string | undefined;
  /** Absolute folder; undefined for one that is archived. */
  dir: string | undefined;
};

/** Of every run, newest first: folders, those that cannot be read, and archives. */
export async function runRows({ store }: Pick<ReviewDeps, 'store'>): Promise<RunRow[]> {
  const [{ runs, unreadable }, archived] = [await indexOf(store).look(), await store.archived()];
  const keyOf = runKeys([...runs, ...unreadable, ...archived]);
  const rows: RunRow[] = [
    ...runs.map((run) => ({
      ...{ key: keyOf(run), scenario: run.scenario, status: run.status as RunRow['status'], dir: run.dir },
      ...{ round: run.round, iteration: run.iteration, rate: run.rate, usd: run.usd, startedAt: run.startedAt },
    })),
    ...unreadable.map((run) => ({
      ...{
        key: keyOf(run),
        scenario: run.scenario,
        status: run.isNewer ? ('newer' as const) : ('unreadable' as const),
      },
      ...{ round: 0, iteration: 0, rate: undefined, usd: undefined, startedAt: undefined, dir: run.dir },
    })),
    ...archived.map(({ id, scenario, about }) => ({
      ...{ key: keyOf({ id, scenario }), scenario, status: about.status as RunRow['status'], dir: undefined },
      ...{ round: about.round, iteration: about.iteration, rate: about.successRate, usd: undefined },
      startedAt: about.createdAt,
    })),
  ];
  return rows.toSorted(byAge);
}

function byAge(one: RunRow, other: RunRow): number {
  // Of thousands, comparing by code units is many times faster than by a language.
  const [mine, its] = [one.startedAt ?? '', other.startedAt ?? ''];
  if (mine !== its) return mine < its ? 1 : -1;
  return one.key < other.key ? -1 : 1;
}

/** Journals or ledgers read at the same time: each is some open files. */
const AT_ONCE = 16;

/** With what the runs that still move have cost so far. */
export async function withCosts(rows: readonly RunRow[], { store }: Pick<ReviewDeps, 'store'>): Promise<RunRow[]> {
  const found = [...rows];
  const left = rows.entries();
  const readOn = async (): Promise<void> => {
    for (const [index, row] of left) {
      const { usd, dir, key, scenario, status } = row;
      if (usd !== undefined || dir === undefined || status === 'unreadable' || status === 'newer') continue;
      const paid = await store.at({ id: key, scenario, dir }).spending.list().catch(noneOf);
      found[index] = { ...row, usd: paid?.reduce((sum, one) => sum + one.usd, 0) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return found;
}

/** A ledger that cannot be read leaves the cost open. */
function noneOf(error: unknown): undefined {
  if (!isHarnessError(error)) throw error;
}

/** A run with the events that made it what it is. */
export type Story = { state: RunState; events: readonly RunEvent[] };

/** Runs that cannot be read are left out. */
export async function allStories(deps: Pick<ReviewDeps, 'store'>): Promise<Story[]> {
  const left = (await deps.store.list()).entries();
  const stories = new Map<number, Story>();
  const readOn = async (): Promise<void> => {
    for (const [index, { dir }] of left) {
      const story = await storyAt(dir, deps);
      if (!(story instanceof Error)) stories.set(index, story);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return [...stories].toSorted(([one], [other]) => one - other).map(([, story]) => story);
}

async function storyAt(dir: string, { store }: Pick<ReviewDeps, 'store'>): Promise<Story | HarnessError> {
  try {
    return await openSnapshot(await store.open(dir));
  } catch (error) {
    if (isHarnessError(error)) return error;
    throw error;
  }
}

/** Which batch a run belongs to, by the run's folder; the newest, should several name it. */
export async function batchesOf({ batches }: Pick<ReviewDeps, 'batches'>): Promise<ReadonlyMap<string, string>> {
  const oldestFirst = (await batches.list()).toReversed();
  return new Map(oldestFirst.flatMap(({ id, runs }) => runs.map((dir) => [dir, id])));
}

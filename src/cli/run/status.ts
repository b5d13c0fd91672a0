/** `tandem status [run]`: shows the status of one run, or lists all runs of the project. */
import { openStore, type ProjectDeps } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { isPermissionError } from '../../disk/disk-fault.ts';
import { isHarnessError, describeError, usageError, type HarnessError } from '../../errors.ts';
import { formatTable } from '../../report/text/width.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { type BooleanFlags, type JsonFlag, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { readState } from '../../run-folder/snapshot.ts';

const MOST_RUNS = 50;

type StatusOptions = JsonFlag & TextFlags<'where'> & BooleanFlags<'all'>;

export async function statusCommand(name: string | undefined, options: StatusOptions, io: Io): Promise<number> {
  const { store } = openStore(findHome(io.cwd));
  if (name === undefined) return listRuns(io, options);
  if (options.where !== undefined) throw usageError('Name a run, or choose many with --where, not both.');
  const run = await store.open(name);
  if ((await run.list('events')).length === 0) {
    const said = { run: run.id, scenario: run.scenario, status: 'not begun', why: UNBORN };
    io.out(options.json === true ? JSON.stringify(said) : `${said.run}  ${said.scenario}  ${said.status}: ${UNBORN}`);
    return EXIT.met;
  }
  return (await import('./status-of-run.ts')).statusOfRun(run, options, io);
}

const NOWHERE = { round: 0, iteration: 0, successRate: null };
/** A run folder exists for some milliseconds before its first event. */
const UNBORN =
  'It has no first event: it is being made, or who made it was killed. tandem run <scenario> --id <its id> --continue begins it there. An hour later tandem runs prune removes what is empty.';

async function listRuns(io: Io, { where, all = false, json }: StatusOptions): Promise<number> {
  const deps = openStore(findHome(io.cwd));
  const { store } = deps;
  const chosen =
    where === undefined
      ? undefined
      : new Set(
          (await (await import('../runs/choose-runs.ts')).chooseRuns(where, deps, { all })).map(({ dir }) => dir),
        );
  const { listArchived } = await import('../../run-folder/archive-marks.ts');
  const archived = all || chosen !== undefined ? new Set<string>() : await listArchived(deps);
  const [folders, begun] = [await store.list(), await store.folders()];
  const listed = new Set(folders.map(({ dir }) => dir));
  const unborn = begun.filter(({ dir }) => !listed.has(dir));
  const isListed = ({ dir }: { dir: string }): boolean => chosen?.has(dir) ?? !archived.has(dir);
  const runs = [...(chosen === undefined ? unborn : []), ...folders.filter(isListed)];
  const rows = await Promise.all(
    runs.slice(0, chosen === undefined ? MOST_RUNS : runs.length).map(async (run) => {
      const { id, scenario } = run;
      if (!listed.has(run.dir)) return { run: id, scenario, status: 'not begun', ...NOWHERE, why: UNBORN };
      try {
        const { status, round, iteration, iterations } = await readState(store.at(run));
        return { run: id, scenario, status, round, iteration, successRate: iterations.at(-1)?.successRate ?? null };
      } catch (error) {
        const [status, why] = isHarnessError(error)
          ? [describeUnreadable(error), describeError(error)]
          : ['unreadable', 'its files cannot be read here (whose are they?)'];
        return { run: id, scenario, status, ...NOWHERE, why };
      }
    }),
  );
  const more = runs.length - rows.length;
  if (json === true) io.out(JSON.stringify(rows));
  else if (begun.length === 0) io.out('No runs yet. Start one: tandem run refund-desk --profile demo');
  else if (rows.length === 0)
    io.out(chosen === undefined ? 'Every run is archived.' : `No run fits --where '${where}'.`);
  else {
    const head = ['RUN', 'SCENARIO', 'STATUS', 'AT', 'PASSED'];
    const [names = '', ...lines] = formatTable([head, ...rows.map(toStatusCells)]);
    io.out(names);
    for (const [index, row] of rows.entries()) {
      io.out(lines[index] ?? '');
      if ('why' in row) io.out(`    ${row.why}`);
    }
  }
  const notes = chosen === undefined ? await listWaits(deps) : [];
  if (more > 0) notes.push(`${more} older runs are not listed.`);
  if (archived.size > 0) notes.push(`${archived.size} archived runs are not listed: tandem status --all.`);
  // Notes tell scripts what the list does not hold.
  for (const note of notes) (json === true ? io.err : io.out)(note);
  return EXIT.met;
}

async function listWaits(deps: ProjectDeps): Promise<string[]> {
  const { listOldestJobs } = await import('../../worker/presence.ts');
  const jobs = await listOldestJobs(deps);
  return jobs.map(({ lane, since }) => `A job of ${lane} waits for a worker since ${since}: tandem queue ls.`);
}

type StatusRow = Record<'run' | 'scenario' | 'status', string> &
  Record<'round' | 'iteration', number> & { successRate: number | null };

function toStatusCells({ run, scenario, status, round, iteration, successRate }: StatusRow): string[] {
  const rate = successRate === null ? '' : formatPercent(successRate);
  return [run, scenario, status, `r${round} i${iteration}`, rate];
}

function describeUnreadable(error: HarnessError): string {
  if (isHarnessError(error, 'version_mismatch')) return 'made by newer';
  return isPermissionError(error) ? 'no right to read' : 'unreadable';
}

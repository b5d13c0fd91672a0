/** `tandem status [run]`: the status of one run, or of all runs of the project in a list. */
import type { ArchivedRun } from '../../ports/run-store.ts';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { isNoRight } from '../../disk/disk-fault.ts';
import { isHarnessError, messageOf, type HarnessError } from '../../errors.ts';
import { table } from '../../report/text/width.ts';
import { percent } from '../../scenario/percent.ts';
import type { Json } from '../call.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { readState } from '../../run-folder/snapshot.ts';

const MOST_RUNS = 50;

export async function statusCommand(name: string | undefined, options: Json, io: Io): Promise<number> {
  const { store } = openStore(findHome(io.cwd));
  if (name === undefined) return listRuns(io, options);
  const run = await store.open(name);
  if ((await run.list('events')).length === 0) {
    const said = { run: run.id, scenario: run.scenario, status: 'not begun', why: UNBORN };
    io.out(options.json === true ? JSON.stringify(said) : `${said.run}  ${said.scenario}  ${said.status}: ${UNBORN}`);
    return EXIT.met;
  }
  return (await import('./status-of-run.ts')).statusOfRun(run, options, io);
}

const NOWHERE = { round: 0, iteration: 0, successRate: null };
/** Between the folder of a run and its first event there are milliseconds. */
const UNBORN =
  'It has no first event: it is being made, or who made it was killed. tandem run <scenario> --id <its id> --continue begins it there. An hour later tandem runs prune removes what is empty.';

async function listRuns(io: Io, options: Json): Promise<number> {
  const { store } = openStore(findHome(io.cwd));
  const [folders, archived, begun] = [await store.list(), await store.archived(), await store.folders()];
  const listed = new Set(folders.map(({ dir }) => dir));
  const unborn = begun.filter(({ dir }) => !listed.has(dir));
  const runs: (ArchivedRun | (typeof folders)[number])[] = [...unborn, ...folders, ...archived];
  const rows = await Promise.all(
    runs.slice(0, MOST_RUNS).map(async (run) => {
      const { id, scenario } = run;
      if ('about' in run) {
        const { status, round, iteration, successRate = null } = run.about;
        return { run: id, scenario, status, round, iteration, successRate, archived: true };
      }
      if (!listed.has(run.dir)) return { run: id, scenario, status: 'not begun', ...NOWHERE, why: UNBORN };
      try {
        const state = await readState(store.at(run));
        const rate = state.iterations.at(-1)?.successRate;
        return {
          run: id,
          scenario,
          status: state.status,
          round: state.round,
          iteration: state.iteration,
          successRate: rate ?? null,
        };
      } catch (error) {
        return {
          run: id,
          scenario,
          status: isHarnessError(error) ? unreadableAs(error) : 'unreadable',
          ...NOWHERE,
          why: isHarnessError(error) ? messageOf(error) : 'its files cannot be read here (whose are they?)',
        };
      }
    }),
  );
  const more = runs.length - rows.length;
  if (options.json === true) io.out(JSON.stringify(rows));
  else if (rows.length === 0) io.out('No runs yet. Start one: tandem run refund-desk --profile demo');
  else {
    const [names = '', ...lines] = table([['RUN', 'SCENARIO', 'STATUS', 'AT', 'PASSED'], ...rows.map(cellsOf)]);
    io.out(names);
    for (const [index, row] of rows.entries()) {
      io.out(lines[index] ?? '');
      if ('why' in row) io.out(`    ${row.why}`);
    }
  }
  const said = `${more} older runs are not listed, ${archived.length} are archived.`;
  // A script that reads the list must not take fifty runs for all of them.
  if (more > 0) (options.json === true ? io.err : io.out)(said);
  return EXIT.met;
}

function cellsOf(row: {
  run: string;
  scenario: string;
  status: string;
  round: number;
  iteration: number;
  successRate: number | null;
  archived?: boolean;
}): string[] {
  const rate = row.successRate === null ? '' : percent(row.successRate);
  const { run, scenario, status, round, iteration } = row;
  return [run, scenario, status, `r${round} i${iteration}`, row.archived === true ? `${rate} archived` : rate];
}

function unreadableAs(error: HarnessError): string {
  if (isHarnessError(error, 'version_mismatch')) return 'made by newer';
  return isNoRight(error) ? 'no right to read' : 'unreadable';
}

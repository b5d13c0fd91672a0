/** `tandem runs prune`: deletes runs that ended long ago. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { listPrunable, type EndedRun, type EndedRunsFilter } from '../../pipeline/control/ended-runs.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { type JsonFlag, type BooleanFlags, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { formatTable } from '../../report/text/width.ts';
import { parseDurationMs } from '../parse-numbers.ts';

type RunFilterFlags = TextFlags<'olderThan'> &
  JsonFlag & { scenario?: string[] | undefined; state?: string[] | undefined };

const DAY_MS = 86_400_000;
const ENDS = ['succeeded', 'failed', 'rejected', 'expired', 'cancelled'];

export async function pruneCommand(options: RunFilterFlags & BooleanFlags<'yes'>, io: Io): Promise<number> {
  const deps = openStore(findHome(io.cwd));
  const { runs, blessed, unseen } = await listPrunable(await buildRunFilter(options, io), deps);
  const isDone = options.yes === true;
  if (options.json !== true)
    printEndedRuns(`${isDone ? 'Deleting' : 'Would delete'} ${formatCount(runs.length, 'run')}`, runs, io);
  if (isDone) for (const run of runs) await deps.store.remove(run);
  const left = await deps.store.sweep({ empty: true, dryRun: !isDone });
  if (options.json === true) {
    const ids = (some: readonly EndedRun[]) => some.map(({ id }) => id);
    const more = unseen.length === 0 ? {} : { unseen: ids(unseen) };
    io.out(JSON.stringify({ deleted: isDone, runs: ids(runs), blessed: ids(blessed), ...more, left }));
    return EXIT.met;
  }
  for (const { id } of blessed) io.out(`${id} stays: it is blessed (baseline.json of its scenario).`);
  for (const { id, scenario } of unseen)
    io.out(
      `${id} stays: scenario ${scenario} is not in this project, and its baseline.json says which run is blessed.`,
    );
  for (const line of left) io.out(line);
  if (!isDone && runs.length + left.length > 0) io.out('Nothing is deleted yet: say so with --yes.');
  return EXIT.met;
}

async function buildRunFilter({ olderThan, scenario, state }: RunFilterFlags, io: Io): Promise<EndedRunsFilter> {
  const unknown = state?.find((one) => !ENDS.includes(one));
  if (unknown !== undefined)
    throw usageError(`--state "${unknown}": expected ${ENDS.join(', ')}. Runs that can go on are never chosen.`);
  const days = (await loadConfig(findHome(io.cwd), {})).retention.prune_after_days;
  const configured = days === undefined ? undefined : days * DAY_MS;
  const olderThanMs = olderThan === undefined ? configured : parseDurationMs('--older-than', olderThan);
  if (olderThanMs === undefined)
    throw usageError(`Say how old: --older-than 365d, or retention: { prune_after_days: 365 } in config/default.yaml.`);
  return omitUndefined({ olderThanMs, scenarios: scenario, states: state });
}

function printEndedRuns(title: string, runs: readonly EndedRun[], io: Io): void {
  io.out(`${title}${runs.length === 0 ? '.' : ':'}`);
  if (runs.length === 0) return;
  const rows = runs.map(({ id, scenario, status, endedAt }) => [id, scenario, status, endedAt.slice(0, 10)]);
  for (const line of formatTable([['RUN', 'SCENARIO', 'STATUS', 'ENDED'], ...rows])) io.out(line);
}

/** `tandem runs archive|unpack|prune`: packs an ended run into one file, unpacks it, or deletes it. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openStore, usesStore, type ProjectDeps } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { walkFiles } from '../../disk/walk-files.ts';
import { isHarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import {
  listEndedFolders,
  listPrunable,
  type EndedRun,
  type EndedRunsFilter,
} from '../../pipeline/control/ended-runs.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { formatCount } from '../../report/text/number-format.ts';
import type { JsonFlag, BooleanFlags, TextFlags } from '../command-context.ts';
import { formatTable } from '../../report/text/width.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { parseDurationMs } from '../parse-numbers.ts';
import { chooseRuns } from './choose-runs.ts';

type RunFilterFlags = TextFlags<'olderThan'> &
  JsonFlag & { scenario?: string[] | undefined; state?: string[] | undefined };

const DAY_MS = 86_400_000;
const ENDS = ['succeeded', 'failed', 'rejected', 'expired', 'cancelled'];

export async function archiveCommand(
  options: RunFilterFlags & BooleanFlags<'dryRun'> & TextFlags<'to' | 'where'>,
  io: Io,
): Promise<number> {
  const deps = openStore(findHome(io.cwd));
  const to = parseArchiveTarget(options.to, io);
  const chosen = await listToArchive(options, deps, io);
  const failed: { run: string; why: string }[] = [];
  let [before, after] = [0, 0];
  for (const run of chosen) {
    const found = to === undefined ? run : await deps.store.open(run.id);
    const was = await sumFileSizes(found.dir);
    if (options.dryRun === true) {
      before += was;
      continue;
    }
    try {
      after += await (to === undefined ? archiveHere(run, deps) : archiveThere(run, to, deps));
      before += was;
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      failed.push({ run: run.id, why: error.message });
    }
  }
  if (options.json === true)
    io.out(
      JSON.stringify({ dryRun: options.dryRun === true, runs: chosen.map(({ id }) => id), failed, before, after }),
    );
  else if (options.dryRun === true)
    printEndedRuns(`Would archive ${formatCount(chosen.length, 'run')}, ${formatSize(before)}`, chosen, io);
  else
    io.out(
      `Archived ${formatCount(chosen.length - failed.length, 'run')}: ${formatSize(before)} are now ${formatSize(after)}.`,
    );
  for (const { run, why } of failed) io.err(`${run} stays ${to === undefined ? 'a folder' : 'in the store'}: ${why}`);
  return failed.length === 0 ? EXIT.met : EXIT.infrastructure;
}

/** With --where an age need not be said. */
async function listToArchive(
  { where, ...options }: RunFilterFlags & TextFlags<'where'>,
  deps: ProjectDeps,
  io: Io,
): Promise<EndedRun[]> {
  if (where === undefined) return listEndedFolders(await buildRunFilter(options, 'archive_after_days', io), deps);
  const dirs = new Set((await chooseRuns(where, deps)).map(({ dir }) => dir));
  const ended = await listEndedFolders(omitUndefined({ olderThanMs: 0, scenarios: options.scenario }), deps);
  return ended.filter(({ dir }) => dirs.has(dir));
}

/** Undefined leaves archives in place. Throws `usage` when --to is missing for a store or given for folders. */
function parseArchiveTarget(to: string | undefined, io: Io): string | undefined {
  if (usesStore() === (to !== undefined)) return to && resolve(io.cwd, to);
  throw usageError(
    to === undefined
      ? 'A store has no archives: name the folder of a project that gets them, and the store is rid of those runs: --to /srv/archive'
      : '--to goes with runs in a store (TANDEM_STORE): in folders an archive takes the place of its run.',
  );
}

async function archiveHere(run: EndedRun, { store }: ReadDeps): Promise<number> {
  await store.at(run).spending.pack();
  await store.archive(run, run.about);
  return (await stat(`${run.dir}.tar.gz`)).size;
}

/** Removes the run from the store once its archive is complete. */
async function archiveThere(run: EndedRun, project: string, { store }: ReadDeps): Promise<number> {
  const { archiveRunTo } = await import('../../app/copy-run.ts');
  const size = await archiveRunTo(await store.open(run.id), run.about, project);
  await store.remove(run);
  return size;
}

export async function unpackCommand(name: string, io: Io): Promise<number> {
  const { store } = openStore(findHome(io.cwd));
  await store.restore(name);
  const { id, dir } = await store.open(name);
  io.out(`Run ${id} is a folder: ${dir}`);
  return EXIT.met;
}

export async function pruneCommand(options: RunFilterFlags & BooleanFlags<'yes'>, io: Io): Promise<number> {
  const deps = openStore(findHome(io.cwd));
  const { runs, blessed, unseen } = await listPrunable(await buildRunFilter(options, 'prune_after_days', io), deps);
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

async function buildRunFilter(
  { olderThan, scenario, state }: RunFilterFlags,
  key: 'archive_after_days' | 'prune_after_days',
  io: Io,
): Promise<EndedRunsFilter> {
  const unknown = state?.find((one) => !ENDS.includes(one));
  if (unknown !== undefined)
    throw usageError(`--state "${unknown}": expected ${ENDS.join(', ')}. Runs that can go on are never chosen.`);
  const days = (await loadConfig(findHome(io.cwd), {})).retention[key];
  const configured = days === undefined ? undefined : days * DAY_MS;
  const olderThanMs = olderThan === undefined ? configured : parseDurationMs('--older-than', olderThan);
  if (olderThanMs === undefined)
    throw usageError(`Say how old: --older-than 30d, or retention: { ${key}: 30 } in config/default.yaml.`);
  return omitUndefined({ olderThanMs, scenarios: scenario, states: state });
}

function printEndedRuns(title: string, runs: readonly EndedRun[], io: Io): void {
  io.out(`${title}${runs.length === 0 ? '.' : ':'}`);
  if (runs.length === 0) return;
  const rows = runs.map(({ id, scenario, about }) => [id, scenario, about.status, about.endedAt.slice(0, 10)]);
  for (const line of formatTable([['RUN', 'SCENARIO', 'STATUS', 'ENDED'], ...rows])) io.out(line);
}

async function sumFileSizes(dir: string): Promise<number> {
  const sizes = await Promise.all((await walkFiles(dir)).map(async (path) => (await stat(join(dir, path))).size));
  return sizes.reduce((sum, one) => sum + one, 0);
}

function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** One order to many runs by `--where`, each of which gets it once: `tandem cancel|pause|resume`, `tandem runs archive|prune`. */
import pLimit from 'p-limit';
import { openStore } from '../../app/open-store.ts';
import { wakeWorkers } from '../../app/worker-queue.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { chooseQueue } from '../../config/schema.ts';
import { isHarnessError, usageError } from '../../errors.ts';
import { giveOrder } from '../../pipeline/control/stop-order.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { formatTable } from '../../report/text/width.ts';
import type { EventBody } from '../../run/event.ts';
import { FINAL_STATUSES } from '../../run/run-outcome.ts';
import { archiveRun, unarchiveRun } from '../../run-folder/archive-marks.ts';
import { transact } from '../../run-folder/snapshot.ts';
import type { IndexedRun } from '../../run-folder/run-index.ts';
import {
  commandActor,
  type BooleanFlags,
  type Call,
  type JsonFlag,
  type TextFlags,
  EXIT,
  type Io,
} from '../command-context.ts';
import { chooseRuns } from './choose-runs.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { listPrunable, type EndedRun, type EndedRunsFilter } from '../../pipeline/control/ended-runs.ts';
import { parseDurationMs } from '../parse-numbers.ts';

export type ManyFlags = TextFlags<'where'> & BooleanFlags<'dryRun' | 'yes'> & JsonFlag;
export type ManyOptions = ManyFlags & TextFlags<'comment'>;
export type Order = 'cancel' | 'pause' | 'resume' | 'archive' | 'unarchive';

const AT_ONCE = 16;
const ENDS: readonly string[] = FINAL_STATUSES;
/** Runs in these states can be given the order; others are counted and left alone. */
const MAY_GET: Readonly<Record<Order, (run: IndexedRun) => boolean>> = {
  cancel: ({ status }) => isOpen(status),
  pause: ({ status }) => isOpen(status) && status !== 'paused' && status !== 'errored',
  resume: ({ status }) => status === 'paused' || status === 'errored',
  archive: ({ isOver }) => isOver,
  unarchive: ({ isOver }) => isOver,
};
const DONE: Readonly<Record<Order, string>> = {
  cancel: 'Cancelled',
  pause: 'Paused',
  resume: 'Resumed',
  archive: 'Archived',
  unarchive: 'Listed again',
};

function isOpen(status: string): boolean {
  return !ENDS.includes(status);
}

/** True when `--where` is given in place of a run; `usage` for both or neither. */
export function isForMany(run: string | undefined, { where, dryRun, yes }: ManyFlags): boolean {
  if (run !== undefined && where !== undefined) throw usageError('Name a run, or choose many with --where, not both.');
  if (run === undefined && where === undefined)
    throw usageError("Name a run, or choose many, such as --where 'state=errored'.");
  if (where === undefined && (dryRun === true || yes === true))
    throw usageError('--dry-run and --yes go with --where.');
  return where !== undefined;
}

/** Without --yes it only says which runs it would be. Contract: giving it again does nothing twice. */
export async function orderMany(order: Order, options: ManyOptions, call: Call): Promise<number> {
  const { io } = call;
  const home = findHome(io.cwd);
  const deps = openStore(home);
  if (order === 'resume' && chooseQueue(await loadConfig(home, {}), io.env).kind === 'in-process')
    throw usageError('resume --where leaves its runs to workers: set TANDEM_QUEUE, or resume them one by one.');
  const found = await chooseRuns(options.where ?? '', deps, { all: order === 'unarchive' });
  const chosen = found.filter(MAY_GET[order]);
  const left = found.length - chosen.length;
  const isDone = options.yes === true && options.dryRun !== true;
  const failed: { run: string; why: string }[] = [];
  let changed = 0;
  if (isDone) {
    await pLimit(AT_ONCE).map(chosen, async (run) => {
      try {
        if (await giveOne(order, run, { options, call, deps })) changed += 1;
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        failed.push({ run: run.id, why: error.message });
      }
    });
  }
  if (options.json === true)
    io.out(JSON.stringify({ order, done: isDone, runs: chosen.map(({ id }) => id), changed, left, failed }));
  else {
    const many = isDone ? formatCount(changed, 'run') : formatCount(chosen.length, 'run');
    io.out(`${isDone ? DONE[order] : `Would ${order}`} ${many}${left === 0 ? '' : `; ${left} more cannot be`}.`);
    if (!isDone)
      for (const line of formatTable(chosen.map(({ id, scenario, status }) => [id, scenario, status]))) io.out(line);
    if (!isDone && chosen.length > 0) io.out('Nothing is changed yet: say so with --yes.');
    for (const { run, why } of failed) io.err(`${run}: ${why}`);
  }
  return failed.length === 0 ? EXIT.met : EXIT.notMet;
}

export function createStopOrder(order: 'pause' | 'cancel', comment: string | undefined) {
  return order === 'cancel'
    ? ({ type: 'run.cancelled', detail: comment ?? '' } as const)
    : ({ type: 'run.paused', reason: 'user', detail: comment ?? 'paused by hand' } as const);
}

type OneOrder = { options: ManyOptions; call: Call; deps: ReturnType<typeof openStore> };

/** False when another command came first. */
async function giveOne(order: Order, run: IndexedRun, { options, call, deps }: OneOrder): Promise<boolean> {
  if (order === 'archive') return archiveRun(deps.shared, run);
  if (order === 'unarchive') return unarchiveRun(deps.shared, run);
  const { dir } = run;
  const actor = commandActor(call.io);
  if (order === 'resume') return resumeOne(dir, { options, call, deps });
  const { before, after } = await giveOrder(dir, { order: createStopOrder(order, options.comment), actor }, deps);
  return before.length < after.length;
}

/** Records it, and leaves the work to workers. */
async function resumeOne(dir: string, { call: { io }, deps }: OneOrder): Promise<boolean> {
  const run = await deps.store.open(dir);
  const choose = ({ state: { status } }: { state: { status: string } }): EventBody | undefined =>
    status === 'paused' ? { type: 'run.resumed' } : status === 'errored' ? { type: 'run.retried' } : undefined;
  const { before, after } = await transact(run, choose, commandActor(io));
  await wakeWorkers(run.id, deps, { home: findHome(io.cwd), env: io.env });
  return before.state.length < after.state.length;
}

type RunFilterFlags = TextFlags<'olderThan'> &
  JsonFlag & { scenario?: string[] | undefined; state?: string[] | undefined };

const DAY_MS = 86_400_000;

/** `tandem runs prune`: deletes runs that ended long ago. */
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

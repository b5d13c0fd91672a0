/** Handing a run to workers: its lane and mark, which workers gave it back, and where a run is. */
import { z } from 'zod';
import { parseOrNone } from '../disk/parse-file.ts';
import { omitUndefined } from '../omit-undefined.ts';
import {
  PRIORITIES,
  type JobQueue,
  type NextLane,
  type StepLane,
  type JobPriority,
  type HandedBack,
} from '../ports/job-queue.ts';
import type { RunFolder, ReadDeps } from '../ports/run-store.ts';
import type { Command } from '../run/command.ts';
import { decide } from '../run/decide.ts';
import { readState, transact } from './snapshot.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { valueOnErrno } from '../disk/disk-fault.ts';
import { toNumberedName } from '../disk/numbered-files.ts';
import { ignoreHarnessError } from '../errors.ts';
import { Labels, MACHINE_VERSION } from '../run/event.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import { listUndoable } from '../run/undo.ts';

/** Workers take steps only of runs with this file; a run without it is continued by its own process. */
const MARK = 'queue.json';

/** The model of each kind of step, as `<provider>/<model>`; a mark of an older program has no models. */
export type LaneModels = Record<StepLane, string>;
const HandOverMark = z.object({
  models: z.object({ init: z.string(), execute: z.string() }).optional(),
  turn: z.object({ priority: z.enum(PRIORITIES).optional(), place: z.int().nonnegative().optional() }).optional(),
});
type HandOverMark = { models?: LaneModels | undefined; turn?: JobPriority };

/** `turn` applies to a run that is handed over for the first time. */
export type WakeDeps = ReadDeps & { queue: JobQueue; laneModels?: LaneModels; turn?: JobPriority };

/** Returns undefined when there is nothing for a worker to do. */
export function findStepLane(command: Command): StepLane | undefined {
  switch (command.type) {
    case 'start':
    case 'design':
      return 'init';
    case 'iterate':
      return 'execute';
    default:
      return undefined;
  }
}

/** After this, every worker of the project that has the run's models may continue it. */
export async function handOver(runId: string, deps: WakeDeps): Promise<void> {
  const { laneModels: models, turn } = deps;
  const run = await deps.store.open(runId);
  const before = await readHandOverMark(run);
  if (before === undefined || (before.models === undefined && models !== undefined)) {
    const mark = omitUndefined({ version: 1, carriedBy: 'workers', models, turn: before?.turn ?? turn });
    await run.write(MARK, `${JSON.stringify(mark)}\n`);
  }
  await wakeNext(run, deps);
}

export async function isHandedOver(run: Pick<RunFolder, 'read'>): Promise<boolean> {
  return (await run.read(MARK)) !== undefined;
}

/** Returns undefined for a run that one process continues. An unreadable mark counts as one without models. */
export async function readHandOverMark(run: Pick<RunFolder, 'read'>): Promise<HandOverMark | undefined> {
  const text = await run.read(MARK);
  if (text === undefined) return undefined;
  const { models, turn } = parseOrNone(HandOverMark, text) ?? {};
  return omitUndefined({ models, turn: turn && omitUndefined(turn) });
}

/** Returns the lane in which the run's next step waits, or undefined when there is nothing for a worker to do. */
export async function findNextLane(run: RunFolder): Promise<NextLane | undefined> {
  const lane = findStepLane(decide(await readState(run)));
  if (lane === undefined) return undefined;
  const mark = await readHandOverMark(run);
  return omitUndefined({ lane, model: mark?.models?.[lane], turn: mark?.turn });
}

/** Wakes the run for its next step, if it has one. If the queue fails, a notice says so: reconciling finds it later. */
export async function wakeNext(run: RunFolder, { queue, progress }: WakeDeps): Promise<void> {
  const next = await findNextLane(run);
  if (next === undefined) return;
  await queue.wake({ run: run.id, ...next }).catch((error: unknown) => {
    progress({ type: 'state', status: 'notice', detail: error instanceof Error ? error.message : String(error) });
  });
}

/** Fewer workers do not pause the run: a worker that can do the step may be on its way. */
const MOST = 3;

/** `said` holds the notices already sent. Contract: an unreachable queue pauses nothing. */
export async function checkHandedBack(
  run: RunFolder,
  { queue, progress }: Pick<WakeDeps, 'queue' | 'progress'>,
  said: Set<string>,
): Promise<void> {
  const by = await queue.handedBack?.of(run.id).catch(() => []);
  if (by === undefined || by.length === 0) return;
  for (const { worker, why } of by) {
    const detail = `Worker ${worker} gave run ${run.id} back: ${why}`;
    if (!said.has(detail)) progress({ type: 'state', status: 'notice', detail });
    said.add(detail);
  }
  // During an upgrade many workers may be too old, and a newer one will continue the run.
  const unable = by.filter(({ isOlder }) => isOlder !== true);
  if (unable.length < MOST) return;
  const detail = `${unable.length} workers gave its next step back. ${formatReasons(unable)} Nothing is lost: mend that on a worker, then tandem resume ${run.id}.`;
  // The pause is the same as for an unreachable provider: no step has failed, and the same command continues later.
  const { event } = await transact(
    run,
    ({ state }) =>
      findStepLane(decide(state)) === undefined ? undefined : { type: 'run.paused', reason: 'provider', detail },
    'worker:tandem',
  );
  await queue.handedBack?.forget(run.id).catch(() => undefined);
  if (event !== undefined) progress({ type: 'state', status: 'paused', detail });
}

/** Groups the workers by their reason. */
function formatReasons(by: readonly HandedBack[]): string {
  const groups = Map.groupBy(by, ({ why }) => why);
  return [...groups].map(([why, some]) => `${some.map(({ worker }) => worker).join(', ')}: ${why}`).join(' ');
}

export const RunStatus = z.strictObject({
  /** Number of events read; the other fields are valid until there are more. */
  length: z.int(),
  /** Version of the program that read the events: another version may see another next step. Absent in older caches. */
  machineVersion: z.int().optional(),
  /** Time of the newest event. */
  at: z.string(),
  status: z.string(),
  isOver: z.boolean(),
  startedAt: z.string(),
  round: z.int(),
  iteration: z.int(),
  /** Success rate of the newest iteration. */
  rate: z.number().optional(),
  labels: Labels.optional(),
  /** Certain cost of an ended run (a live run's cost changes without an event). May be missing after a first scan. */
  usd: z.number().optional(),
  lane: z.enum(['init', 'execute']).optional(),
  gate: z
    .strictObject({
      id: z.string(),
      digest: z.string(),
      openedAt: z.string(),
      reminders: z.int(),
      heldMs: z.number().optional(),
    })
    .optional(),
});
export type RunStatus = z.infer<typeof RunStatus>;

/** The status of one run as lists show it, read from its journal. */
export function toRunStatus({ state, events }: RunSnapshot): RunStatus {
  const lane = findStepLane(decide(state));
  // A rejection can be taken back, so its run must be looked at again.
  const isOver = 'verdict' in state && listUndoable(state).length === 0;
  const { length, status, round, iteration, origin, iterations } = state;
  const rate = iterations.at(-1)?.successRate;
  const at = events.at(-1)?.ts ?? '';
  const read = { length, machineVersion: MACHINE_VERSION, at, status, isOver, startedAt: origin.at };
  const base = { ...read, round, iteration, ...omitUndefined({ rate, labels: origin.labels }) };
  if (state.status !== 'awaiting_approval') return lane === undefined ? base : { ...base, lane };
  const { id, digest, openedAt, reminders, heldMs } = state.gate;
  return { ...base, gate: { id, digest, openedAt, reminders, ...(heldMs === undefined ? {} : { heldMs }) } };
}

/** A live run's status from another version is ignored: an older one may see no next step, and nobody would wake it. */
export function isOfThisVersion({ isOver, machineVersion }: RunStatus): boolean {
  return isOver || machineVersion === MACHINE_VERSION;
}

/** Returns undefined when the ledger cannot be read; the run is listed all the same. */
export async function sumPaid(run: RunFolder): Promise<number | undefined> {
  const records = await run.spending.list().catch(ignoreHarnessError);
  return records?.reduce((sum, { usd }) => sum + usd, 0);
}

export async function holdsEvent(dir: string, event: number): Promise<boolean> {
  return (await valueOnErrno('ENOENT', undefined, stat(join(dir, 'events', toNumberedName(event))))) !== undefined;
}

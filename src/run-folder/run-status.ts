/** The status of one run as lists show it, read from its journal and saved as `ended.json` once the run has ended. */
import { readFile as readByCallback } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { valueOnErrno } from '../disk/disk-fault.ts';
import { toNumberedName } from '../disk/numbered-files.ts';
import { parseOrNone } from '../disk/parse-file.ts';
import { isHarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { Labels, MACHINE_VERSION } from '../run/event.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import { listUndoable } from '../run/undo.ts';
import { findStepLane } from './hand-over.ts';
import { openSnapshot } from './snapshot.ts';

/** Reading without a handle object for each file is twice as fast. */
const readFile = promisify(readByCallback);
const FILE = 'ended.json';

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

/** This file is a cache and may be deleted. */
export const EndedRun = z.strictObject({ version: z.literal(1), run: RunStatus });

export function toRunStatus({ state, events }: RunSnapshot): RunStatus {
  const lane = findStepLane(decide(state));
  // A rejection can be taken back, so its run must be looked at again.
  const isOver = 'verdict' in state && listUndoable(state).length === 0;
  const { length, status, round, iteration, origin, iterations } = state;
  const rate = iterations.at(-1)?.successRate;
  const at = events.at(-1)?.ts ?? '';
  const read = { length, machineVersion: MACHINE_VERSION, at };
  const base = {
    ...read,
    status,
    isOver,
    startedAt: origin.at,
    round,
    iteration,
    ...omitUndefined({ rate, labels: origin.labels }),
  };
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
  try {
    return (await run.spending.list()).reduce((sum, { usd }) => sum + usd, 0);
  } catch (error) {
    if (isHarnessError(error)) return undefined;
    throw error;
  }
}

/** Lets a new process list this run without reading its journal. A run that may still continue is skipped. */
export async function writeEndedStatus(run: RunFolder): Promise<void> {
  const seen = toRunStatus(await openSnapshot(run));
  if (!seen.isOver) return;
  const about = { ...seen, ...omitUndefined({ usd: await sumPaid(run) }) };
  await run.write(FILE, `${JSON.stringify({ version: 1, run: about } satisfies z.infer<typeof EndedRun>)}\n`);
}

/** Returns undefined without a file, or when the journal's length differs. Opens no other file, to stay fast. */
export async function readEndedStatus(dir: string): Promise<RunStatus | undefined> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(dir, FILE), 'utf8'));
  const found = text === undefined ? undefined : parseOrNone(EndedRun, text)?.run;
  if (found?.isOver !== true) return undefined;
  const [isLong, isLonger] = await Promise.all([holdsEvent(dir, found.length - 1), holdsEvent(dir, found.length)]);
  return isLong && !isLonger ? found : undefined;
}

export async function holdsEvent(dir: string, event: number): Promise<boolean> {
  return (await valueOnErrno('ENOENT', undefined, stat(join(dir, 'events', toNumberedName(event))))) !== undefined;
}

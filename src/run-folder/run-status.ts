/** What lists show of one run, taken from its journal, and left in its folder (`ended.json`) when it has ended. */
import { readFile as readByCallback } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { valueOnErrno } from '../disk/disk-fault.ts';
import { numberedName } from '../disk/numbered-files.ts';
import { parseOrNone } from '../disk/parse-file.ts';
import { isHarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { MACHINE_VERSION } from '../run/event.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import { undoable } from '../run/undo.ts';
import { laneOf } from './hand-over.ts';
import { openSnapshot } from './snapshot.ts';

/** Without a handle object for each file it is twice as fast. */
const readFile = promisify(readByCallback);
const FILE = 'ended.json';

export const RunStatus = z.strictObject({
  /** Events read; until there are more, the other fields are valid. */
  length: z.int(),
  /** Of the program that read them: one of another version may see another next step. Absent in older caches. */
  machineVersion: z.int().optional(),
  /** When the last of them happened. */
  at: z.string(),
  status: z.string(),
  isOver: z.boolean(),
  startedAt: z.string(),
  round: z.int(),
  iteration: z.int(),
  /** Of the newest iteration. */
  rate: z.number().optional(),
  /** Surely paid; only of a run that is over, for the others it moves without an event. Not yet there when many were seen at once. */
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

/** A cache, safe to delete. */
export const EndedRun = z.strictObject({ version: z.literal(1), run: RunStatus });

export function runStatusOf({ state, events }: RunSnapshot): RunStatus {
  const lane = laneOf(decide(state));
  // A rejection can be taken back, so its run has to be looked at again.
  const isOver = 'verdict' in state && undoable(state).length === 0;
  const { length, status, round, iteration, origin, iterations } = state;
  const rate = iterations.at(-1)?.successRate;
  const at = events.at(-1)?.ts ?? '';
  const read = { length, machineVersion: MACHINE_VERSION, at };
  const base = { ...read, status, isOver, startedAt: origin.at, round, iteration, ...omitUndefined({ rate }) };
  if (state.status !== 'awaiting_approval') return lane === undefined ? base : { ...base, lane };
  const { id, digest, openedAt, reminders, heldMs } = state.gate;
  return { ...base, gate: { id, digest, openedAt, reminders, ...(heldMs === undefined ? {} : { heldMs }) } };
}

/** What a program of another version remembers of a run that goes on is no help: an older one sees no next step where this one does, and nobody would wake the run. */
export function isOfThisVersion({ isOver, machineVersion }: RunStatus): boolean {
  return isOver || machineVersion === MACHINE_VERSION;
}

/** Undefined where the ledger cannot be read: the run is listed all the same. */
export async function paidFor(run: RunFolder): Promise<number | undefined> {
  try {
    return (await run.spending.list()).reduce((sum, { usd }) => sum + usd, 0);
  } catch (error) {
    if (isHarnessError(error)) return undefined;
    throw error;
  }
}

/** Spares the first list of a process that knows no run the journal of this one. A run that may still go on is left alone. */
export async function noteEnded(run: RunFolder): Promise<void> {
  const seen = runStatusOf(await openSnapshot(run));
  if (!seen.isOver) return;
  const about = { ...seen, ...omitUndefined({ usd: await paidFor(run) }) };
  await run.write(FILE, `${JSON.stringify({ version: 1, run: about } satisfies z.infer<typeof EndedRun>)}\n`);
}

/** Undefined where there is none, or where the journal in `dir` is of another length than it was. Nothing else is opened: of thousands of runs each file counts. */
export async function endedStatus(dir: string): Promise<RunStatus | undefined> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(dir, FILE), 'utf8'));
  const found = text === undefined ? undefined : parseOrNone(EndedRun, text)?.run;
  if (found?.isOver !== true) return undefined;
  const [isLong, isLonger] = await Promise.all([holdsEvent(dir, found.length - 1), holdsEvent(dir, found.length)]);
  return isLong && !isLonger ? found : undefined;
}

export async function holdsEvent(dir: string, event: number): Promise<boolean> {
  return (await valueOnErrno('ENOENT', undefined, stat(join(dir, 'events', numberedName(event))))) !== undefined;
}

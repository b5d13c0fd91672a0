/**
 * The starts of a schedule, in files that are only ever created: `batches/.starts/<schedule>/<batch>.json` decides a time,
 * `<batch>.begun-<n>.json` claims it for a worker, `<batch>.ended.json` closes it. Of several workers one makes each file.
 */
import { z } from 'zod';
import { parseOrNone } from '../disk/parse-file.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { DEFAULT_CATCH_UP_MS, formatBatchId, type Schedule } from './schedule.ts';

export const Decision = z.strictObject({
  version: z.literal(1),
  due: z.string(),
  decided: z.enum(['begin', 'skip']),
  /** The person who asked for it; absent for a time of the pattern. */
  asked: z.string().optional(),
});
export const StartClaim = z.strictObject({ version: z.literal(1), worker: z.string(), at: z.string() });
/** `exit` is the exit code of the batch, or says in words why there is none. */
export const Ending = z.strictObject({
  version: z.literal(1),
  exit: z.union([z.int(), z.string()]),
  at: z.string(),
});
export type StartClaim = z.infer<typeof StartClaim>;

export type Start = z.infer<typeof Decision> & { batch: string; claims: StartClaim[]; ending?: z.infer<typeof Ending> };

/** Ended starts that are kept for people to see. */
const KEPT = 50;
/** At most so many missed times are made up for, so that a pattern of seconds starts no thousands. */
const MOST_MADE_UP = 100;

const toFolder = (schedule: string): string => `batches/.starts/${schedule}`;
const format = (value: object): string => `${JSON.stringify({ version: 1, ...value })}\n`;

/** Lists the starts by the time at which they were due. */
export async function readStarts(shared: SharedFiles, schedule: string): Promise<Start[]> {
  const files = await shared.list(toFolder(schedule));
  const starts = [...files].flatMap(([path, text]): Start[] => {
    const batch = path.replace(/\.json$/, '');
    const decision = /[./]/.test(batch) ? undefined : parseOrNone(Decision, text);
    if (decision === undefined) return [];
    const claims: StartClaim[] = [];
    for (let nth = 1, claim; (claim = files.get(`${batch}.begun-${nth}.json`)) !== undefined; nth += 1)
      claims.push(parseOrNone(StartClaim, claim) ?? { version: 1, worker: '', at: '' });
    const ending = files.get(`${batch}.ended.json`);
    const ended = ending === undefined ? undefined : parseOrNone(Ending, ending);
    return [{ ...decision, batch, claims, ...(ended === undefined ? {} : { ending: ended }) }];
  });
  return starts.toSorted((one, other) => (one.due < other.due ? -1 : 1));
}

/** Returns false when this time was decided before. */
export function decideStart(
  shared: SharedFiles,
  schedule: string,
  decision: Omit<z.infer<typeof Decision>, 'version'>,
): Promise<boolean> {
  const batch = formatBatchId(schedule, new Date(decision.due));
  return shared.create(`${toFolder(schedule)}/${batch}.json`, format(decision));
}

/** Returns false when another worker was faster. */
export function claimStart(
  shared: SharedFiles,
  schedule: string,
  { start, worker, at }: { start: Start; worker: string; at: string },
): Promise<boolean> {
  const path = `${toFolder(schedule)}/${start.batch}.begun-${start.claims.length + 1}.json`;
  return shared.create(path, format({ worker, at }));
}

export async function endStart(
  shared: SharedFiles,
  schedule: string,
  { batch, exit, at }: { batch: string; exit: number | string; at: string },
): Promise<void> {
  await shared.create(`${toFolder(schedule)}/${batch}.ended.json`, format({ exit, at }));
}

export async function forgetStarts(shared: SharedFiles, schedule: string): Promise<void> {
  await shared.remove(toFolder(schedule));
}

/** Removes old ended starts. The newest time of the pattern stays, since the next ones are counted from it. */
export async function pruneStarts(shared: SharedFiles, schedule: string): Promise<void> {
  const starts = await readStarts(shared, schedule);
  const newest = findNewestOfPattern(starts);
  const past = starts.filter((start) => !isOpenStart(start) && start !== newest);
  for (const { batch, claims } of past.slice(0, -KEPT)) {
    const parts = ['ended.json', ...claims.map((_, index) => `begun-${index + 1}.json`), 'json'];
    for (const part of parts) await shared.remove(`${toFolder(schedule)}/${batch}.${part}`);
  }
}

export function isOpenStart({ decided, ending }: Start): boolean {
  return decided === 'begin' && ending === undefined;
}

function findNewestOfPattern(starts: readonly Start[]): Start | undefined {
  return starts.findLast(({ asked }) => asked === undefined);
}

/** The next time of the pattern after one, in milliseconds; undefined when there is none. */
export type NextTime = (afterMs: number) => number | undefined;

/** Returns the time from which on times of the pattern are not decided yet. */
function findDecidedUntil({ createdAt, since, catchUpMs }: Schedule, starts: readonly Start[], nowMs: number): number {
  const newest = findNewestOfPattern(starts);
  return Math.max(
    Date.parse(since ?? createdAt),
    newest === undefined ? 0 : Date.parse(newest.due),
    nowMs - (catchUpMs ?? DEFAULT_CATCH_UP_MS) - 1,
  );
}

type Moment = { schedule: Schedule; starts: readonly Start[]; nowMs: number };

/** Returns when the pattern next begins a batch, which lies in the past until a worker decides it. */
export function findNextDue({ schedule, starts, nowMs }: Moment, nextTime: NextTime): number | undefined {
  return schedule.paused === undefined ? nextTime(findDecidedUntil(schedule, starts, nowMs)) : undefined;
}

/** Decides the times that have come, the missed ones among them, oldest first. */
export function planDecisions(
  { schedule, starts, nowMs }: Moment,
  nextTime: NextTime,
): Pick<Start, 'due' | 'decided'>[] {
  const { overlap } = schedule;
  const times: number[] = [];
  let at = findNextDue({ schedule, starts, nowMs }, nextTime);
  while (at !== undefined && at <= nowMs) {
    times.push(at);
    at = nextTime(at);
  }
  const chosen = times.slice(-MOST_MADE_UP);
  const isBusy = starts.some(isOpenStart);
  return chosen.map((ms, index) => {
    // The batch of an earlier time would be cancelled at once.
    const isPast = overlap === 'cancel' && index < chosen.length - 1;
    const isSkipped = overlap === 'skip' && (isBusy || index > 0);
    return { due: new Date(ms).toISOString(), decided: isPast || isSkipped ? 'skip' : 'begin' };
  });
}

/** `replaces` are earlier batches that this one ends. */
export type Beginning = { start: Start; replaces: Start[] };

/** Chooses the decided starts that may begin now: nobody who lives holds them, and the earlier ones allow it. */
export function planBeginnings(
  { paused, overlap = 'allow' }: Schedule,
  starts: readonly Start[],
  isHeld: (claim: StartClaim, batch: string) => boolean,
): Beginning[] {
  const open = starts.filter(isOpenStart);
  const inTurn = overlap === 'queue' || overlap === 'skip' ? open.slice(0, 1) : open;
  const free = inTurn.filter(({ batch, claims, asked }) => {
    const last = claims.at(-1);
    return last === undefined ? paused === undefined || asked !== undefined : !isHeld(last, batch);
  });
  const replaced = overlap === 'cancel' ? open : [];
  return free.map((start) => ({ start, replaces: replaced.filter(({ due }) => due < start.due) }));
}

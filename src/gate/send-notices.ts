/** Telling people: each notice through each channel once, and again only while nobody has taken it. */
import { isHarnessError, messageOf } from '../errors.ts';
import { ReviewPack } from './rules/review-pack.ts';
import type { Notice, NoticeChannel } from '../ports/notices.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import { dueNotices, type DueNotice } from './due-notices.ts';
import type { IndexedRun } from '../run-folder/run-index.ts';
import { openSnapshot } from '../run-folder/snapshot.ts';

export type NoticeDeps = ReadDeps & {
  channels: readonly NoticeChannel[];
  /** The address of a gate, and everybody's own link to it. */
  linksOf: (told: DueNotice) => Pick<Notice, 'url' | 'recipients'>;
  /** Asked before each notice: of several processes that look after the same gates, one sends. */
  isMine: () => Promise<boolean>;
  log: (line: string) => void;
};

export type Notifier = { send: (runs: readonly IndexedRun[], signal: AbortSignal) => Promise<void> };

/**
 * Keeps in mind what failed, so that a dead receiver is asked ever more rarely; and whose events were all told, so that
 * ten thousand runs that wait are not read again.
 */
export function createNotifier(deps: NoticeDeps): Notifier {
  const later: Later = new Map();
  const told = new Map<string, number>();
  return {
    send: async (runs, signal) => {
      if (deps.channels.length === 0) return;
      for (const run of runs) {
        if (told.get(run.dir) === run.length) continue;
        try {
          if (await sendOf(deps.store.at(run), deps, later, signal)) told.set(run.dir, run.length);
        } catch (error) {
          if (!isHarnessError(error)) throw error;
        }
      }
    },
  };
}

type Later = Map<string, { afterMs: number; pauseMs: number }>;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** True when nothing is left to tell of what has happened so far. */
async function sendOf(run: RunFolder, deps: NoticeDeps, later: Later, signal: AbortSignal): Promise<boolean> {
  let isAll = true;
  const { events, state } = await openSnapshot(run);
  const packs = new Map<string, ReviewPack>();
  for (const { round } of state.designs) {
    const text = await run.read(`gates/HITL-1.r${round}/pack.json`);
    if (text !== undefined) packs.set(`HITL-1.r${round}`, ReviewPack.parse(JSON.parse(text)));
  }
  for (const told of dueNotices(run, state, events, (gate) => packs.get(gate), deps.clock.now().getTime())) {
    // What was never announced needs no last word: else a first start would tell of everything that ever was.
    if (told.kind !== 'opened' && told.kind !== 'reminded' && !(await wasAnnounced(run, told.gate, deps))) continue;
    for (const channel of deps.channels) isAll = (await sendOnce(run, told, channel, deps, later, signal)) && isAll;
  }
  return isAll;
}

const recordOf = (id: string, channel: string): string => `out/notices/${id}.${channel}.json`;

async function wasAnnounced(run: RunFolder, gate: string, { channels }: NoticeDeps): Promise<boolean> {
  const records = await Promise.all(channels.map(({ name }) => run.read(recordOf(`${run.id}.${gate}.opened`, name))));
  return records.some((record) => record !== undefined);
}

async function sendOnce(
  run: RunFolder,
  told: DueNotice,
  channel: NoticeChannel,
  deps: NoticeDeps,
  later: Later,
  signal: AbortSignal,
): Promise<boolean> {
  const record = recordOf(told.id, channel.name);
  if ((await run.read(record)) !== undefined) return true;
  const nowMs = deps.clock.now().getTime();
  const waiting = later.get(record);
  if (waiting !== undefined && nowMs < waiting.afterMs) return false;
  if (!(await deps.isMine()) || (await run.read(record)) !== undefined) return false;
  try {
    await channel.send({ ...told, ...deps.linksOf(told) }, signal);
    later.delete(record);
    await run.write(record, `${JSON.stringify({ version: 1, id: told.id, sentAt: deps.clock.now().toISOString() })}\n`);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const pauseMs = Math.min(LONGEST_PAUSE_MS, (waiting?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2);
    later.set(record, { afterMs: nowMs + pauseMs, pauseMs });
    deps.log(`${told.id}: ${messageOf(error)} Trying again in ${Math.round(pauseMs / 1000)} s.`);
    return false;
  }
}

/** Sends notices: each through each channel once, and again only while the channel has failed. */
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
  /** The address of a gate, and each recipient's own link to it. */
  linksOf: (notice: DueNotice) => Pick<Notice, 'url' | 'recipients'>;
  /** Checked before each notice: of several processes that look after the same gates, one sends. */
  isMine: () => Promise<boolean>;
  log: (line: string) => void;
};

export type Notifier = { send: (runs: readonly IndexedRun[], signal: AbortSignal) => Promise<void> };

/** Failed sends are tried again after growing pauses; a run without new events since its last notice is not read again. */
export function createNotifier(deps: NoticeDeps): Notifier {
  const retries: Retries = new Map();
  const announced = new Map<string, number>();
  return {
    send: async (runs, signal) => {
      if (deps.channels.length === 0) return;
      for (const run of runs) {
        if (announced.get(run.dir) === run.length) continue;
        try {
          const isAll = await sendDue({ run: deps.store.at(run), deps, retries, signal });
          if (isAll) announced.set(run.dir, run.length);
        } catch (error) {
          if (!isHarnessError(error)) throw error;
        }
      }
    },
  };
}

type Retries = Map<string, { afterMs: number; pauseMs: number }>;
type Sending = { run: RunFolder; deps: NoticeDeps; retries: Retries; signal: AbortSignal };
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** True when nothing is left to announce of what has happened so far. */
async function sendDue(sending: Sending): Promise<boolean> {
  const { run, deps } = sending;
  const snapshot = await openSnapshot(run);
  const packs = new Map<string, ReviewPack>();
  for (const { round } of snapshot.state.designs) {
    const text = await run.read(`gates/HITL-1.r${round}/pack.json`);
    if (text !== undefined) packs.set(`HITL-1.r${round}`, ReviewPack.parse(JSON.parse(text)));
  }
  const due = dueNotices({ run, snapshot, packOf: (gate) => packs.get(gate), nowMs: deps.clock.now().getTime() });
  let isAll = true;
  for (const notice of due) {
    // A gate that was never announced needs no outcome: else a first start would announce everything that ever was.
    const isWaiting = notice.kind === 'opened' || notice.kind === 'reminded';
    if (!isWaiting && !(await wasAnnounced(run, notice.gate, deps))) continue;
    for (const channel of deps.channels) isAll = (await sendOnce(sending, notice, channel)) && isAll;
  }
  return isAll;
}

const recordOf = (id: string, channel: string): string => `out/notices/${id}.${channel}.json`;

async function wasAnnounced(run: RunFolder, gate: string, { channels }: NoticeDeps): Promise<boolean> {
  const records = await Promise.all(channels.map(({ name }) => run.read(recordOf(`${run.id}.${gate}.opened`, name))));
  return records.some((record) => record !== undefined);
}

async function sendOnce(
  { run, deps, retries, signal }: Sending,
  notice: DueNotice,
  channel: NoticeChannel,
): Promise<boolean> {
  const record = recordOf(notice.id, channel.name);
  if ((await run.read(record)) !== undefined) return true;
  const nowMs = deps.clock.now().getTime();
  const failed = retries.get(record);
  if (failed !== undefined && nowMs < failed.afterMs) return false;
  if (!(await deps.isMine()) || (await run.read(record)) !== undefined) return false;
  try {
    await channel.send({ ...notice, ...deps.linksOf(notice) }, signal);
    retries.delete(record);
    const sentAt = deps.clock.now().toISOString();
    await run.write(record, `${JSON.stringify({ version: 1, id: notice.id, sentAt })}\n`);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const pauseMs = Math.min(LONGEST_PAUSE_MS, (failed?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2);
    retries.set(record, { afterMs: nowMs + pauseMs, pauseMs });
    deps.log(`${notice.id}: ${messageOf(error)} Trying again in ${Math.round(pauseMs / 1000)} s.`);
    return false;
  }
}

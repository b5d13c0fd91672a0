/** Sends one message to one recipient unless it was sent before, and records the outcome. */
import { isHarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { createSerialQueue } from '../../disk/serial-queue.ts';
import type { Clock } from '../../ports/run-store.ts';
import type { NoticeFault } from '../../ports/notices.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import { writeChannels, type ChannelStates } from './channel-book.ts';
import type { NoticeLinksLookup, OpenChannel, PendingMessage } from './collect-notices.ts';
import { isSameDelivery, readBook, writeBook, type Delivery } from './notice-book.ts';

export type NoticeDeps = {
  clock: Clock;
  channels: readonly OpenChannel[];
  /** Finds the address that a notice links to, and each recipient's own link. */
  linksOf: NoticeLinksLookup;
  /** Checked before each message: of several processes that watch the same runs, only one sends. */
  isMine: () => Promise<boolean>;
  /** The files of the project, with the state of the channels. */
  shared: SharedFiles;
  log: (line: string) => void;
};

export type NotifierState = {
  deps: NoticeDeps;
  /** True when it was this process's turn at the last check. */
  isHolder: boolean;
  pending: PendingMessage[];
  states: ChannelStates;
  tally: Map<string, { sent: number; refused: number }>;
  /** Serialises all writes to the notice files. */
  lock: ReturnType<typeof createSerialQueue>;
};

const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** The number of refusals after which a message is given up, while its channel accepts others. */
const MOST_REFUSALS = 6;
/** The age at which a message is given up, because its links have expired by then. */
const MOST_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const TOO_OLD = 'it could not be sent for seven days';

/** Resolves with false when the channel accepts nothing now, or when another process has taken over the sending. */
export async function sendOnce(one: PendingMessage, sending: NotifierState, signal: AbortSignal): Promise<boolean> {
  const { deps } = sending;
  signal.throwIfAborted();
  if (!(await deps.isMine())) {
    sending.isHolder = false;
    return false;
  }
  const delivery = (await readBook(one.book))?.find((line) => isSameDelivery(line, { ...one, id: one.notice.id }));
  if (delivery?.state !== 'waiting') return removePending(one, sending);
  const channel = deps.channels.find(({ name }) => name === one.channel);
  const { url, recipients } = deps.linksOf(one.notice);
  const to = recipients.find(({ name }) => name === one.to);
  if (channel === undefined || (channel.personal && to === undefined))
    return recordOutcome(one, { state: 'dropped', why: 'nobody is listed under this name any more' }, sending);
  if (deps.clock.now().getTime() - Date.parse(one.since) > MOST_AGE_MS)
    return recordOutcome(one, { state: 'refused', why: delivery.why ?? TOO_OLD }, sending);
  const { at: _at, waits: _waits, ...notice } = one.notice;
  try {
    await channel.send({ ...notice, url }, signal, to);
  } catch (error) {
    signal.throwIfAborted();
    return handleFailure(one, error, sending);
  }
  await recordOutcome(one, { state: 'sent', tries: one.tries + 1 }, sending);
  await setFault(one.channel, undefined, sending);
  return true;
}

async function handleFailure(one: PendingMessage, error: unknown, sending: NotifierState): Promise<boolean> {
  const { clock, log } = sending.deps;
  const { of, final = false, retryAfterMs = 0 } = readFault(error);
  const nowMs = clock.now().getTime();
  one.tries += 1;
  const why = describeError(error);
  if (of === 'channel') {
    const before = sending.states[one.channel]?.fault;
    // Messages sent in parallel have met the same fault, which counts once.
    const isKnown = before !== undefined && nowMs < Date.parse(before.until);
    const tries = (before?.tries ?? 0) + (isKnown ? 0 : 1);
    const pauseMs = Math.max(pauseAfter(tries), retryAfterMs);
    const until = new Date(nowMs + pauseMs).toISOString();
    await setFault(one.channel, { since: before?.since ?? new Date(nowMs).toISOString(), tries, until, why }, sending);
    await recordOutcome(one, { state: 'waiting', tries: one.tries, why }, sending);
    if (!isKnown) log(`notices: ${one.channel}: ${why} Trying again in ${Math.round(pauseMs / 1000)} s.`);
    return false;
  }
  const isOver = final || one.tries >= MOST_REFUSALS;
  one.afterMs = nowMs + pauseAfter(one.tries);
  log(`notices: ${one.notice.id} to ${one.to ?? one.channel}: ${why}${isOver ? ' It is given up.' : ''}`);
  return recordOutcome(one, { state: isOver ? 'refused' : 'waiting', tries: one.tries, why }, sending);
}

function pauseAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 20));
}

function readFault(error: unknown): NoticeFault {
  const details = isHarnessError(error) ? error.details : {};
  const retryAfterMs = typeof details['retryAfterMs'] === 'number' ? details['retryAfterMs'] : undefined;
  return { of: details['of'] === 'message' ? 'message' : 'channel', final: details['final'] === true, retryAfterMs };
}

/** Records the outcome of a try; resolves with true, so that the next message follows. */
async function recordOutcome(
  one: PendingMessage,
  change: Partial<Pick<Delivery, 'state' | 'tries' | 'why'>>,
  sending: NotifierState,
): Promise<true> {
  const at = sending.deps.clock.now().toISOString();
  await sending.lock(async () => {
    const book = (await readBook(one.book)) ?? [];
    const next = ({ why: _why, ...line }: Delivery): Delivery => omitUndefined({ ...line, ...change, at });
    await writeBook(
      one.book,
      book.map((line) => (isSameDelivery(line, { ...one, id: one.notice.id }) ? next(line) : line)),
    );
  });
  if (change.state === 'waiting') return true;
  const tally = sending.tally.get(one.channel) ?? { sent: 0, refused: 0 };
  sending.tally.set(one.channel, tally);
  if (change.state === 'sent' || change.state === 'refused') tally[change.state] += 1;
  return removePending(one, sending);
}

function removePending(one: PendingMessage, sending: NotifierState): true {
  sending.pending = sending.pending.filter((other) => other !== one);
  return true;
}

async function setFault(name: string, fault: ChannelStates[string]['fault'], sending: NotifierState): Promise<void> {
  const state = sending.states[name];
  if (state === undefined || (state.fault === undefined && fault === undefined)) return;
  sending.states[name] = omitUndefined({ since: state.since, fault });
  await sending.lock(() => writeChannels(sending.deps.shared, sending.states));
}

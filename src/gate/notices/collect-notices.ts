/** Finds the undelivered notices of a run, a batch or a worker, and writes them down before they are sent. */
import type { NoticeChannel, NoticeKind, Recipient } from '../../ports/notices.ts';
import type { ChannelStates } from './channel-book.ts';
import type { DueNotice } from './due-notices.ts';
import { isSameDelivery, readBook, writeBook, type BookLocation, type Delivery } from './notice-book.ts';

/** The run, batch or worker that notices are about. */
export type NoticeSubject = {
  /** A key that is unique among all subjects. */
  key: string;
  /** A value that changes whenever something has happened to the subject. */
  mark: string | number;
  /** The file that lists its deliveries. */
  book: BookLocation;
  /** True when something happened lately or waits; otherwise only deliveries already written down may still be due. */
  isFresh: boolean;
  due: () => Promise<readonly DueNotice[]>;
  /** Lists `<notice>.<channel>` of the notices that earlier versions have sent. */
  sentBefore?: () => Promise<readonly string[]>;
};

export type OpenChannel = NoticeChannel & { kinds: readonly NoticeKind[] };

export type PendingMessage = {
  book: BookLocation;
  subject: string;
  notice: DueNotice;
  channel: string;
  to: string | undefined;
  since: string;
  tries: number;
  /** The earliest time for another try at a refused message; a channel has its own pause. */
  afterMs: number;
};

export type CollectDeps = {
  channels: readonly OpenChannel[];
  states: ChannelStates;
  linksOf: NoticeLinksLookup;
  nowMs: number;
};

export type NoticeLinksLookup = (notice: DueNotice) => { url: string; recipients: readonly Recipient[] };

/** The age up to which an answer is announced. */
const NEWS_MS = 24 * 60 * 60 * 1000;

/** Resolves with messages that are on disk as `waiting`, none of which was sent or given up before. */
export async function collectNotices(subject: NoticeSubject, deps: CollectDeps): Promise<PendingMessage[]> {
  const before = await readBook(subject.book);
  const isLeft = before?.some(({ state }) => state === 'waiting') ?? false;
  if (!subject.isFresh && !isLeft) return [];
  const due = await subject.due();
  const sent = new Set(before === undefined ? ((await subject.sentBefore?.()) ?? []) : []);
  const book = [...(before ?? [])];
  let isChanged = false;
  for (const line of planDeliveries(due, deps)) {
    const { notice, channel, to } = line;
    if (book.some((one) => isSameDelivery(one, { id: notice.id, channel, to }))) continue;
    const wasSent = sent.has(`${notice.id}.${channel}`);
    if (!wasSent && !isNews(notice, channel, { before: before ?? [], sent, deps })) continue;
    book.push(newDelivery(line, wasSent ? 'sent' : 'waiting', new Date(deps.nowMs).toISOString()));
    isChanged = true;
  }
  const updated = book.map((one) => (isMoot(one, due) ? { ...one, state: 'dropped' as const, why: MOOT } : one));
  if (isChanged || updated.some((one, index) => one !== book[index])) await writeBook(subject.book, updated);
  return updated.flatMap((one) => toPending(one, due, subject));
}

const MOOT = 'it was answered, or went on, before this could be sent';

type PlannedDelivery = { notice: DueNotice; channel: string; to: string | undefined };

function planDeliveries(due: readonly DueNotice[], { channels, linksOf }: CollectDeps): PlannedDelivery[] {
  return due.flatMap((notice) =>
    channels
      .filter(({ kinds }) => kinds.includes(notice.kind))
      .flatMap(({ name: channel, personal }) => {
        const isConcerned = ({ name }: { name: string }): boolean => notice.to === undefined || name === notice.to;
        const people: (string | undefined)[] = personal
          ? linksOf(notice)
              .recipients.filter(isConcerned)
              .map(({ name }) => name)
          : [undefined];
        return people.map((to) => ({ notice, channel, to }));
      }),
  );
}

/** A waiting notice is news to every channel, a past one only to channels that existed then or announced this run. */
function isNews(
  { at, waits }: DueNotice,
  channel: string,
  { before, sent, deps }: { before: readonly Delivery[]; sent: ReadonlySet<string>; deps: CollectDeps },
): boolean {
  if (waits) return true;
  if (deps.nowMs - Date.parse(at) > NEWS_MS) return false;
  const since = deps.states[channel]?.since ?? '';
  const hasHeard = before.some((one) => one.channel === channel) || [...sent].some((id) => id.endsWith(`.${channel}`));
  return hasHeard || Date.parse(at) > Date.parse(since);
}

function newDelivery({ notice, channel, to }: PlannedDelivery, state: 'sent' | 'waiting', since: string): Delivery {
  return { id: notice.id, kind: notice.kind, channel, ...(to === undefined ? {} : { to }), since, state, tries: 0 };
}

function isMoot({ id, state }: Delivery, due: readonly DueNotice[]): boolean {
  return state === 'waiting' && !due.some((notice) => notice.id === id);
}

function toPending(one: Delivery, due: readonly DueNotice[], { key, book }: NoticeSubject): PendingMessage[] {
  const notice = due.find(({ id }) => id === one.id);
  if (one.state !== 'waiting' || notice === undefined) return [];
  const { channel, to, since, tries } = one;
  return [{ book, subject: key, notice, channel, to, since, tries, afterMs: 0 }];
}

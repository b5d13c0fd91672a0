/** What is still to be delivered of a run, a batch or a worker: found from what is due, and written down before it is sent. */
import type { NoticeChannel, NoticeKind, Recipient } from '../../ports/notices.ts';
import type { ChannelStates } from './channel-book.ts';
import type { DueNotice } from './due-notices.ts';
import { isSame, readBook, writeBook, type BookPlace, type Delivery } from './notice-book.ts';

/** Whose notices they are. */
export type NoticeSubject = {
  /** Of all subjects, only this one has it. */
  key: string;
  /** Another one whenever something has happened to it. */
  mark: string | number;
  /** Its deliveries. */
  book: BookPlace;
  /** Happened lately, or waits: else only what was written down before may still be due. */
  isFresh: boolean;
  due: () => Promise<readonly DueNotice[]>;
  /** `<notice>.<channel>` of what earlier versions have sent. */
  sentBefore?: () => Promise<readonly string[]>;
};

export type OpenChannel = NoticeChannel & { kinds: readonly NoticeKind[] };

export type Pending = {
  book: BookPlace;
  subject: string;
  notice: DueNotice;
  channel: string;
  to: string | undefined;
  since: string;
  tries: number;
  /** A message that was refused is tried again later; a channel has a pause of its own. */
  afterMs: number;
};

export type CollectDeps = {
  channels: readonly OpenChannel[];
  states: ChannelStates;
  linksOf: LinksOf;
  nowMs: number;
};

export type LinksOf = (notice: DueNotice) => { url: string; recipients: readonly Recipient[] };

/** Older answers are not announced. */
const NEWS_MS = 24 * 60 * 60 * 1000;

/** Contract: what is resolved with is on disk as `waiting`; nothing is resolved with twice that was sent or given up. */
export async function collectNotices(subject: NoticeSubject, deps: CollectDeps): Promise<Pending[]> {
  const before = await readBook(subject.book);
  const isLeft = before?.some(({ state }) => state === 'waiting') ?? false;
  if (!subject.isFresh && !isLeft) return [];
  const due = await subject.due();
  const sent = new Set(before === undefined ? ((await subject.sentBefore?.()) ?? []) : []);
  const book = [...(before ?? [])];
  let isChanged = false;
  for (const line of wanted(due, deps)) {
    const { notice, channel, to } = line;
    if (book.some((one) => isSame(one, { id: notice.id, channel, to }))) continue;
    const wasSent = sent.has(`${notice.id}.${channel}`);
    if (!wasSent && !isNews(notice, channel, { before: before ?? [], sent, deps })) continue;
    book.push(newDelivery(line, wasSent ? 'sent' : 'waiting', new Date(deps.nowMs).toISOString()));
    isChanged = true;
  }
  const updated = book.map((one) => (isMoot(one, due) ? { ...one, state: 'dropped' as const, why: MOOT } : one));
  if (isChanged || updated.some((one, index) => one !== book[index])) await writeBook(subject.book, updated);
  return updated.flatMap((one) => pendingOf(one, due, subject));
}

const MOOT = 'it was answered, or went on, before this could be sent';

type Wanted = { notice: DueNotice; channel: string; to: string | undefined };

function wanted(due: readonly DueNotice[], { channels, linksOf }: CollectDeps): Wanted[] {
  return due.flatMap((notice) =>
    channels
      .filter(({ kinds }) => kinds.includes(notice.kind))
      .flatMap(({ name: channel, personal }) => {
        const people: (string | undefined)[] = personal
          ? linksOf(notice).recipients.map(({ name }) => name)
          : [undefined];
        return people.map((to) => ({ notice, channel, to }));
      }),
  );
}

/** What waits is news to everybody; what is over, to those who were there, or who heard of this run before. */
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

function newDelivery({ notice, channel, to }: Wanted, state: 'sent' | 'waiting', since: string): Delivery {
  return { id: notice.id, kind: notice.kind, channel, ...(to === undefined ? {} : { to }), since, state, tries: 0 };
}

function isMoot({ id, state }: Delivery, due: readonly DueNotice[]): boolean {
  return state === 'waiting' && !due.some((notice) => notice.id === id);
}

function pendingOf(one: Delivery, due: readonly DueNotice[], { key, book }: NoticeSubject): Pending[] {
  const notice = due.find(({ id }) => id === one.id);
  if (one.state !== 'waiting' || notice === undefined) return [];
  const { channel, to, since, tries } = one;
  return [{ book, subject: key, notice, channel, to, since, tries, afterMs: 0 }];
}

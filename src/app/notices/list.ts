/** What could not be delivered, with its reason, and how the channels are: read from the disk, whoever sends. */
import { channelNames } from '../../adapters/notices/open-channels.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { readChannels } from '../../gate/notices/channel-book.ts';
import { readBook, type BookPlace, type Delivery, type ListedNotices } from '../../gate/notices/notice-book.ts';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { NOTICE_KINDS } from '../../ports/notices.ts';
import { bookOf } from '../../gate/notices/run-subjects.ts';
import type { ProjectDeps } from '../open-store.ts';
import { batchBook, workerBook } from './subjects.ts';
import { seenWorkers } from '../../worker/presence.ts';

/** Books are read a few at a time. */
const AT_ONCE = 32;

export async function listNotices(reviewers: Reviewers, read: ProjectDeps): Promise<ListedNotices> {
  const states = await readChannels(read.shared);
  const names = channelNames(reviewers.notices);
  const channels = reviewers.notices.map(({ kind: type, kinds = NOTICE_KINDS }, index) => {
    const name = names[index] ?? type;
    return omitUndefined({ name, type, kinds, since: states[name]?.since, fault: states[name]?.fault });
  });
  const books = (await booksOf(read)).values();
  const deliveries: Delivery[] = [];
  const readOn = async (): Promise<void> => {
    for (const book of books) deliveries.push(...(await readable(book)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  const undelivered = deliveries.filter(({ state }) => state === 'waiting' || state === 'refused');
  undelivered.sort((one, other) => (one.since < other.since ? -1 : 1));
  return { channels, undelivered, sent: deliveries.filter(({ state }) => state === 'sent').length };
}

async function booksOf({ store, shared, clock, batches }: ProjectDeps): Promise<BookPlace[]> {
  const runs = await store.folders();
  const workers = await seenWorkers(shared, clock);
  return [
    ...runs.map((run) => bookOf(run, store)),
    ...(await batches.ids()).map((id) => batchBook(shared, id)),
    ...workers.map(({ place }) => workerBook(shared, place)),
  ];
}

/** One that cannot be read says nothing, and hides no other. */
async function readable(book: BookPlace): Promise<Delivery[]> {
  try {
    return (await readBook(book)) ?? [];
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    return [];
  }
}

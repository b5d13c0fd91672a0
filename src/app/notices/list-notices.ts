/** Lists undelivered notices with their reasons, and the state of the channels, from disk, whoever sends them. */
import { channelNames } from '../../adapters/notices/open-channels.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { readChannels } from '../../gate/notices/channel-book.ts';
import { readBook, type BookLocation, type Delivery, type ListedNotices } from '../../gate/notices/notice-book.ts';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { NOTICE_KINDS } from '../../ports/notices.ts';
import { locateRunBook } from '../../gate/notices/run-subjects.ts';
import type { ProjectDeps } from '../open-store.ts';
import { batchBook, queueBook, workerBook } from './subjects.ts';
import { seenWorkers } from '../../worker/presence.ts';

/** The number of delivery records that are read at the same time. */
const AT_ONCE = 32;

export async function listNotices(reviewers: Reviewers, read: ProjectDeps): Promise<ListedNotices> {
  const states = await readChannels(read.shared);
  const names = channelNames(reviewers.notices);
  const channels = reviewers.notices.map(({ kind: type, kinds = NOTICE_KINDS }, index) => {
    const name = names[index] ?? type;
    return omitUndefined({ name, type, kinds, since: states[name]?.since, fault: states[name]?.fault });
  });
  const books = (await listBooks(read)).values();
  const deliveries: Delivery[] = [];
  const readOn = async (): Promise<void> => {
    for (const book of books) deliveries.push(...(await readDeliveries(book)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  const undelivered = deliveries.filter(({ state }) => state === 'waiting' || state === 'refused');
  undelivered.sort((one, other) => (one.since < other.since ? -1 : 1));
  return { channels, undelivered, sent: deliveries.filter(({ state }) => state === 'sent').length };
}

async function listBooks({ store, shared, clock, batches }: ProjectDeps): Promise<BookLocation[]> {
  const runs = await store.folders();
  const workers = await seenWorkers(shared, clock);
  return [
    ...runs.map((run) => locateRunBook(run, store)),
    ...(await batches.ids()).map((id) => batchBook(shared, id)),
    ...workers.map(({ place }) => workerBook(shared, place)),
    queueBook(shared),
  ];
}

/** An unreadable delivery record counts as empty, and hides no other. */
async function readDeliveries(book: BookLocation): Promise<Delivery[]> {
  try {
    return (await readBook(book)) ?? [];
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    return [];
  }
}

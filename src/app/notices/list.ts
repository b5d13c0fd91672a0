/** What could not be delivered, with its reason, and how the channels are: read from the disk, whoever sends. */
import { join } from 'node:path';
import { channelNames } from '../../adapters/notices/open-channels.ts';
import { batchDir } from '../../batch/batch.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { channelBookOf, readChannels } from '../../gate/notices/channel-book.ts';
import { BOOK, readBook, type Delivery, type ListedNotices } from '../../gate/notices/notice-book.ts';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { NOTICE_KINDS } from '../../ports/notices.ts';
import type { ProjectDeps } from '../open-store.ts';
import { seenWorkers, workersFolder } from '../../worker/presence.ts';

/** Books are read a few at a time. */
const AT_ONCE = 32;

export async function listNotices(project: string, reviewers: Reviewers, read: ProjectDeps): Promise<ListedNotices> {
  const states = await readChannels(channelBookOf(project));
  const names = channelNames(reviewers.notices);
  const channels = reviewers.notices.map(({ kind: type, kinds = NOTICE_KINDS }, index) => {
    const name = names[index] ?? type;
    return omitUndefined({ name, type, kinds, since: states[name]?.since, fault: states[name]?.fault });
  });
  const books = (await booksOf(project, read)).values();
  const deliveries: Delivery[] = [];
  const readOn = async (): Promise<void> => {
    for (const book of books) deliveries.push(...(await readable(book)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  const undelivered = deliveries.filter(({ state }) => state === 'waiting' || state === 'refused');
  undelivered.sort((one, other) => (one.since < other.since ? -1 : 1));
  return { channels, undelivered, sent: deliveries.filter(({ state }) => state === 'sent').length };
}

async function booksOf(project: string, { store, clock, batches }: ProjectDeps): Promise<string[]> {
  const runs = await store.folders();
  const workers = await seenWorkers(workersFolder(project), clock);
  return [
    ...runs.map(({ dir }) => join(dir, 'out', BOOK)),
    ...(await batches.ids()).map((id) => join(batchDir(project, id), BOOK)),
    ...workers.map(({ dir }) => join(dir, BOOK)),
  ];
}

/** One that cannot be read says nothing, and hides no other. */
async function readable(book: string): Promise<Delivery[]> {
  try {
    return (await readBook(book)) ?? [];
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    return [];
  }
}

/** Lists undelivered notices with their reasons and the state of the channels, and tries each channel. */
import pLimit from 'p-limit';
import { channelNames, openChannels } from '../../adapters/notices/open-channels.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { readChannels } from '../../gate/notices/channel-book.ts';
import { readBook, type BookLocation, type ListedNotices } from '../../gate/notices/notice-book.ts';
import { ignoreHarnessError, HarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { NOTICE_KINDS, type Notice, type NoticeChannel, type Recipient } from '../../ports/notices.ts';
import { locateRunBook } from '../../gate/notices/run-subjects.ts';
import type { ProjectDeps } from '../open-store.ts';
import { batchBook, queueBook, workerBook } from './subjects.ts';
import { seenWorkers } from '../../worker/presence.ts';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../ports/run-store.ts';

/** The number of delivery records that are read at the same time. */
const AT_ONCE = 32;

export async function listNotices(reviewers: Reviewers, read: ProjectDeps): Promise<ListedNotices> {
  const states = await readChannels(read.shared);
  const names = channelNames(reviewers.notices);
  const channels = reviewers.notices.map(({ kind: type, kinds = NOTICE_KINDS }, index) => {
    const name = names[index] ?? type;
    return omitUndefined({ name, type, kinds, since: states[name]?.since, fault: states[name]?.fault });
  });
  // An unreadable delivery record counts as empty, and hides no other.
  const readDeliveries = async (book: BookLocation) => (await readBook(book).catch(ignoreHarnessError)) ?? [];
  const deliveries = (await pLimit(AT_ONCE).map(await listBooks(read), readDeliveries)).flat();
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

type ChannelTrial = { channel: string; to?: string; ok: boolean; why?: string };

type TryOptions = {
  reviewers: Reviewers;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  signal: AbortSignal;
};

/** Contract: `config_invalid` for a missing variable, `not_found` without a channel. */
export async function tryChannels({ reviewers, env, clock, signal }: TryOptions): Promise<ChannelTrial[]> {
  const channels = openChannels(reviewers.notices, { env, clock });
  if (channels.length === 0)
    throw new HarnessError('not_found', 'config/reviewers.yaml names no notices (docs/notices.md says how).');
  const url = `${reviewers.base_url?.replace(/\/+$/, '') ?? 'http://127.0.0.1:7420'}/notices`;
  const notice: Notice = {
    ...{ id: `test.${randomBytes(6).toString('hex')}`, kind: 'test', url },
    ...{ title: 'A test of this channel', text: 'Somebody tried this channel out with tandem notices test.' },
  };
  const people = reviewers.reviewers.flatMap(({ name, email, role }) =>
    email === undefined || role === 'viewer' ? [] : [{ name, email, url, signed: false }],
  );
  const nobody = 'config/reviewers.yaml: no reviewer has an email, so no mail can go out.';
  if (people.length === 0 && channels.some(({ personal }) => personal))
    throw new HarnessError('config_invalid', `${nobody} Give one an email:, or take the channel out.`);
  const sends: { one: NoticeChannel; to: Recipient | undefined }[] = channels.flatMap((one) =>
    (one.personal ? people : [undefined]).map((to) => ({ one, to })),
  );
  return Promise.all(
    sends.map(async ({ one, to }) => {
      const place = { channel: one.name, ...(to === undefined ? {} : { to: to.name }) };
      try {
        await one.send(notice, signal, to);
        return { ...place, ok: true };
      } catch (error) {
        signal.throwIfAborted();
        return { ...place, ok: false, why: describeError(error) };
      }
    }),
  );
}

/** Sends one message through every channel, so that a person sees it arrive, and records nothing. */
import { randomBytes } from 'node:crypto';
import { openChannels } from '../../adapters/notices/open-channels.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { HarnessError, describeError } from '../../errors.ts';
import type { Clock } from '../../ports/run-store.ts';
import type { Notice, NoticeChannel, Recipient } from '../../ports/notices.ts';

export type ChannelTrial = { channel: string; to?: string; ok: boolean; why?: string };

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
  const sends: { one: NoticeChannel; to: Recipient | undefined }[] = channels.flatMap((one) =>
    (one.personal ? people : [undefined]).map((to) => ({ one, to })),
  );
  if (sends.length === 0)
    throw new HarnessError('config_invalid', 'config/reviewers.yaml: no reviewer has an email, so no mail can go out.');
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

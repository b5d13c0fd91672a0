/** A signed webhook: the receiver can prove who sent it, when, and that it has seen it before. */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { Notice, NoticeChannel } from '../../ports/notices.ts';
import { postJson, type Tries } from './post-json.ts';

export type WebhookOptions = { url: string; secret: string; clock: Clock; tries: Tries };

/** `tandem-signature: t=<seconds>,v1=<hex>` is an HMAC-SHA256 over `<seconds>.<body>`; `idempotency-key` is the notice's id. */
export function createWebhook({ url, secret, clock, tries }: WebhookOptions): NoticeChannel {
  return {
    name: 'webhook',
    send: async (notice, signal) => {
      const body = JSON.stringify(bodyOf(notice));
      const seconds = Math.floor(clock.now().getTime() / 1000);
      const mark = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
      const headers = { 'tandem-signature': `t=${seconds},v1=${mark}`, 'idempotency-key': notice.id };
      await postJson({ url, body, headers, channel: 'webhook' }, tries, signal);
    },
  };
}

/** Without anybody's own link: a webhook is read by machines and logged by them. */
function bodyOf({ recipients: _recipients, ...notice }: Notice): object {
  return { version: 1, ...notice };
}

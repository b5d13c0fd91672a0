/** E-mail through SMTP: one message a reviewer, each with a link of their own. */
import { createTransport } from 'nodemailer';
import { HarnessError, messageOf } from '../../errors.ts';
import type { Notice, NoticeChannel } from '../../ports/notices.ts';

export type EmailOptions = {
  /** `smtps://user:password@mail.example.org:465`. */
  smtp: string;
  from: string;
};

export function createEmail({ smtp, from }: EmailOptions): NoticeChannel {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
  const transport = createTransport({ url: smtp, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  return {
    name: 'email',
    send: async (notice, signal) => {
      for (const recipient of notice.recipients) {
        signal.throwIfAborted();
        await transport.sendMail(messageFor(notice, recipient, from)).catch((cause: unknown) => {
          throw new HarnessError('infrastructure', `The mail to ${recipient.name} was not taken: ${messageOf(cause)}`, {
            retryable: true,
            cause,
          });
        });
      }
    },
  };
}

type Recipient = Notice['recipients'][number];

export function messageFor(notice: Notice, { name, email, url }: Recipient, from: string) {
  const { id, title, text, run, gate } = notice;
  return {
    from,
    to: { name, address: email },
    subject: oneLine(`[Tandem] ${gate} ${notice.kind}: ${title}`).slice(0, 200),
    text: `${oneLine(text)}\n\n${oneLine(title)}\nrun ${run}, ${gate}\n\n${url}\n\nThis link opens this gate and this design only. Do not pass it on: it signs you in.\n`,
    // The same notice has the same id in every try, so that mail programs show it once.
    messageId: `<${encodeURIComponent(id)}.${encodeURIComponent(email)}@tandem>`,
    headers: { 'auto-submitted': 'auto-generated' },
  };
}

function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

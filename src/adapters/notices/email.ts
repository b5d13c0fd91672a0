/** Sends notices by e-mail through SMTP: one message per recipient, each with a personal link. */
import type { createTransport } from 'nodemailer';
import { HarnessError, describeError } from '../../errors.ts';
import { optionalPackage } from '../../optional-package.ts';
import {
  createNoticeError,
  type Notice,
  type NoticeChannel,
  type NoticeFault,
  type Recipient,
} from '../../ports/notices.ts';

export type EmailOptions = {
  /** `smtps://user:password@mail.example.org:465`. */
  smtp: string;
  name: string;
  from: string;
};

export function createEmail({ smtp, name, from }: EmailOptions): NoticeChannel {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
  let transport: ReturnType<typeof createTransport> | undefined;
  return {
    name,
    personal: true,
    send: async (notice, signal, to) => {
      signal.throwIfAborted();
      if (to === undefined) throw new HarnessError('infrastructure', 'A mail needs somebody to go to.');
      const mailer = await optionalPackage('E-mail', 'nodemailer@10', () => import('nodemailer'));
      transport ??= mailer.createTransport({ url: smtp, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
      await transport.sendMail(messageFor(notice, to, from)).catch((cause: unknown) => {
        const message = `The mail to ${to.name} was not taken: ${describeError(cause)}.`;
        throw createNoticeError(message, mailFault(cause), cause);
      });
    },
  };
}

/** A failure that concerns one recipient or one message says nothing about the others. */
function mailFault(cause: unknown): NoticeFault {
  const { command = '', responseCode = 0 } = cause as { command?: string; responseCode?: number };
  const isOfMessage = command === 'RCPT TO' || command === 'DATA';
  return { of: isOfMessage ? 'message' : 'channel', final: isOfMessage && responseCode >= 500 };
}

const SIGNED = 'This link opens this gate and this design only. Do not pass it on: it signs you in.';
const UNSIGNED = 'The page asks who you are.';

export function messageFor(notice: Notice, { name, email, url, signed }: Recipient, from: string) {
  const { id, title, text, run, gate, kind } = notice;
  const place = [run === undefined ? undefined : `run ${run}`, gate].filter((part) => part !== undefined).join(', ');
  const subject = oneLine(`[Tandem] ${gate === undefined ? '' : `${gate} `}${kind.replace('_', ' ')}: ${title}`);
  return {
    from,
    to: { name, address: email },
    subject: subject.slice(0, 200),
    text: `${oneLine(text)}\n\n${oneLine(title)}\n${place}\n\n${url}\n\n${signed ? SIGNED : UNSIGNED}\n`,
    // The same notice has the same id in every try, so that mail programs show it once.
    messageId: `<${encodeURIComponent(id)}.${encodeURIComponent(email)}@tandem>`,
    headers: { 'auto-submitted': 'auto-generated' },
  };
}

function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

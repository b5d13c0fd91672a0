/** The notices port: informs people about what waits, what was answered, and what ended or broke. It receives no answers. */

import { HarnessError } from '../errors.ts';

/** `opened` to `expired` are about gates; the rest are about runs, batches, workers and their queue. */
export const NOTICE_KINDS = [
  ...(['opened', 'reminded', 'handed', 'decided', 'undone', 'expired'] as const),
  ...(['ended', 'errored', 'paused', 'batch_ended', 'worker_lost', 'jobs_wait'] as const),
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export type Notice = {
  /** The same id for the same event, so that a receiver can drop repeats: `run-1.HITL-1.r2.opened`. */
  id: string;
  /** `test`: somebody is testing the channel. */
  kind: NoticeKind | 'test';
  run?: string | undefined;
  scenario?: string | undefined;
  /** Set only in notices about a gate. */
  gate?: string | undefined;
  digest?: string | undefined;
  /** The only reviewer whom the notice concerns; a personal channel sends it to nobody else. */
  to?: string | undefined;
  batch?: string | undefined;
  worker?: string | undefined;
  title: string;
  /** One sentence. */
  text: string;
  /** Page on which to read and answer, after signing in. */
  url: string;
};

/** A person; with `signed`, the link signs them in, and opens one gate and one design only. */
export type Recipient = { name: string; email: string; url: string; signed: boolean };

export interface NoticeChannel {
  /** Unique among channels; notices that were sent are recorded under it. */
  readonly name: string;
  /** True when each recipient gets a separate message; else one message goes to one place. */
  readonly personal: boolean;
  /**
   * Contract: resolves when the notice was taken; sending it again is harmless. Rejects with an error of
   * `createNoticeError`; a personal channel rejects without `to`.
   */
  send(notice: Notice, signal: AbortSignal, to?: Recipient): Promise<void>;
}

/** The reason for which a message was not taken. */
export type NoticeFault = {
  /** `channel`: no message would get through now. `message`: others may. */
  of: 'channel' | 'message';
  /** The same message would be refused again. */
  final?: boolean | undefined;
  /** The pause that the receiver requested. */
  retryAfterMs?: number | undefined;
};

/** Creates the error with which a channel rejects; its message names no address. */
export function createNoticeError(message: string, fault: NoticeFault, cause?: unknown): HarnessError {
  return new HarnessError('infrastructure', message, { retryable: fault.final !== true, details: { ...fault }, cause });
}

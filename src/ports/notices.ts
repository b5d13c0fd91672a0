/** The notices port: informs people about what waits, what was answered, and what ended or broke. Nothing comes back through it. */

import { HarnessError } from '../errors.ts';

/** `decided` to `expired` are about gates; the rest about runs, batches and workers. */
export const NOTICE_KINDS = [
  ...(['opened', 'reminded', 'decided', 'undone', 'expired'] as const),
  ...(['ended', 'errored', 'paused', 'batch_ended', 'worker_lost'] as const),
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export type Notice = {
  /** The same for the same happening, so that a receiver can drop repeats: `run-1.HITL-1.r2.opened`. */
  id: string;
  /** `test`: somebody tries the channel out. */
  kind: NoticeKind | 'test';
  run?: string | undefined;
  scenario?: string | undefined;
  /** Of a gate's notices only. */
  gate?: string | undefined;
  digest?: string | undefined;
  batch?: string | undefined;
  worker?: string | undefined;
  title: string;
  /** One sentence. */
  text: string;
  /** Where to read and answer, after signing in. */
  url: string;
};

/** A person; `signed`: the link signs them in, and opens one gate and one design only. */
export type Recipient = { name: string; email: string; url: string; signed: boolean };

export interface NoticeChannel {
  /** No other channel has it; what was sent is on record under it. */
  readonly name: string;
  /** Each recipient gets a message of their own; else one message goes to one place. */
  readonly personal: boolean;
  /**
   * Contract: resolves when it was taken; sending the same notice again is harmless. Rejects with what `noticeFault` makes; a
   * personal channel rejects without `to`.
   */
  send(notice: Notice, signal: AbortSignal, to?: Recipient): Promise<void>;
}

/** Why a message was not taken. */
export type NoticeFault = {
  /** Of the channel: nothing else would get through now. Of the message: others may. */
  of: 'channel' | 'message';
  /** The same message would be refused again. */
  final?: boolean | undefined;
  /** The pause that the receiver requested. */
  retryAfterMs?: number | undefined;
};

/** What a channel rejects with; the message names no address. */
export function noticeFault(message: string, fault: NoticeFault, cause?: unknown): HarnessError {
  return new HarnessError('infrastructure', message, { retryable: fault.final !== true, details: { ...fault }, cause });
}

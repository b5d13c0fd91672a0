/** A message as it is sent, and the fault that a list of messages may have. */
import type { Block, Message } from './message.ts';

export type CacheMark = { type: 'ephemeral'; ttl?: '5m' | '1h' };

/** A message with cache marks, which are set only when it is sent. */
export type SendableMessage = {
  readonly role: Message['role'];
  readonly content: readonly (Block & { cache_control?: CacheMark })[];
};

/** `index` is the message's index in the request, or -1 for the request as a whole. */
export type ProtocolFault = { rule: string; index: number; message: string };

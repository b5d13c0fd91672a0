/** A message as it goes out, and what may be wrong with a list of them. */
import type { Block, Message } from './message.ts';

export type CacheMark = { type: 'ephemeral'; ttl?: '5m' | '1h' };

/** A transcript has no cache marks: they are set at send time. */
export type SendableMessage = {
  readonly role: Message['role'];
  readonly content: readonly (Block & { cache_control?: CacheMark })[];
};

/** `index` is the message's place in the request, -1 for the request as a whole. */
export type ProtocolFault = { rule: string; index: number; message: string };

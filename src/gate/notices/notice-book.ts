/** The state of the notices of a run, a batch or a worker: one file next to it, with a line for each channel and recipient. */
import { z } from 'zod';
import { parseFile } from '../../disk/parse-file.ts';
import type { ChannelState } from './channel-book.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../ports/notices.ts';

export const Delivery = z.strictObject({
  /** The notice. */
  id: z.string(),
  kind: z.enum(NOTICE_KINDS),
  channel: z.string(),
  /** Name of the recipient, of a channel that writes to people. */
  to: z.string().optional(),
  /** When it was found to be due. */
  since: z.string(),
  state: z.enum(['waiting', 'sent', 'refused', 'dropped']),
  tries: z.int().nonnegative(),
  /** When its state changed, or it was tried last. */
  at: z.string().optional(),
  /** Why it was not taken, or was dropped. */
  why: z.string().optional(),
});
export type Delivery = z.infer<typeof Delivery>;

export const NoticeBook = z.strictObject({ version: z.literal(1), deliveries: z.array(Delivery) });

export type ListedChannel = {
  name: string;
  type: 'webhook' | 'slack' | 'email';
  kinds: readonly NoticeKind[];
  /** Absent: no process that sends notices has run since it was configured. */
  since?: string | undefined;
  fault?: ChannelState['fault'];
};

export type ListedNotices = {
  channels: ListedChannel[];
  /** Oldest first: what waits, and what was given up. */
  undelivered: Delivery[];
  sent: number;
};

/** In the folder of a batch, or of a worker. */
export const BOOK = 'notices.json';
export const BOOK_OF_RUN = `out/${BOOK}`;

/** A book among the files of a run, or of a project. */
export type BookLocation = { files: Pick<SharedFiles, 'read' | 'write'>; path: string };

/** Undefined where nothing was ever due. */
export async function readBook({ files, path }: BookLocation): Promise<Delivery[] | undefined> {
  const text = await files.read(path);
  return text === undefined ? undefined : parseFile(NoticeBook, text, path).deliveries;
}

export async function writeBook({ files, path }: BookLocation, deliveries: readonly Delivery[]): Promise<void> {
  await files.write(path, formatBook(deliveries));
}

export function formatBook(deliveries: readonly Delivery[]): string {
  return `${JSON.stringify({ version: 1, deliveries })}\n`;
}

export function isSameDelivery(
  one: Pick<Delivery, 'id' | 'channel' | 'to'>,
  other: Pick<Delivery, 'id' | 'channel' | 'to'>,
) {
  return one.id === other.id && one.channel === other.channel && one.to === other.to;
}

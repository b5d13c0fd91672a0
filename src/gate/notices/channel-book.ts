/** The states of a project's notice channels: since when each exists, and which of them fails now. */
import { z } from 'zod';
import { parseOrNone } from '../../disk/parse-file.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';

const ChannelFault = z.strictObject({
  since: z.string(),
  tries: z.int().positive(),
  /** The time before which nothing is sent on the channel. */
  until: z.string(),
  why: z.string(),
});
const ChannelState = z.strictObject({
  /** The time from which the channel exists; earlier events are not announced on it. */
  since: z.string(),
  fault: ChannelFault.optional(),
});
export type ChannelState = z.infer<typeof ChannelState>;

export const ChannelBook = z.strictObject({ version: z.literal(1), channels: z.record(z.string(), ChannelState) });
export type ChannelStates = Record<string, ChannelState>;

const FILE = 'scenarios/.notices.json';

/** Reads the channel states from the files of the project. */
export async function readChannels(shared: SharedFiles): Promise<ChannelStates> {
  const text = await shared.read(FILE);
  return (text === undefined ? undefined : parseOrNone(ChannelBook, text))?.channels ?? {};
}

export async function writeChannels(shared: SharedFiles, channels: ChannelStates): Promise<void> {
  await shared.write(FILE, `${JSON.stringify({ version: 1, channels })}\n`);
}

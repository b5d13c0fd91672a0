/** How the channels of a project are: since when each is there, and which of them takes nothing now. */
import { z } from 'zod';
import { parseOrNone } from '../../disk/parse-file.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';

const ChannelFault = z.strictObject({
  since: z.string(),
  tries: z.int().positive(),
  /** Nothing is sent before. */
  until: z.string(),
  why: z.string(),
});
const ChannelState = z.strictObject({
  /** What happened before is no news for it. */
  since: z.string(),
  fault: ChannelFault.optional(),
});
export type ChannelState = z.infer<typeof ChannelState>;

export const ChannelBook = z.strictObject({ version: z.literal(1), channels: z.record(z.string(), ChannelState) });
export type ChannelStates = Record<string, ChannelState>;

const FILE = 'scenarios/.notices.json';

/** `shared`: the files of the project. */
export async function readChannels(shared: SharedFiles): Promise<ChannelStates> {
  const text = await shared.read(FILE);
  return (text === undefined ? undefined : parseOrNone(ChannelBook, text))?.channels ?? {};
}

export async function writeChannels(shared: SharedFiles, channels: ChannelStates): Promise<void> {
  await shared.write(FILE, `${JSON.stringify({ version: 1, channels })}\n`);
}

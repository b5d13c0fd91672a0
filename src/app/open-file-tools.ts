/** The file tools of every agent: steps, sessions and chats read with one limit. */
import { createFileTools } from '../adapters/file-tools/file-tools.ts';
import type { Mount, ToolHost } from '../ports/tools/tool-host.ts';

/** The longest result of one file tool call, in characters (S3.9). */
const MAX_RESULT_CHARS = 60_000;

export function openFileTools(mounts: readonly Mount[]): ToolHost {
  return createFileTools({ mounts, maxResultChars: MAX_RESULT_CHARS });
}

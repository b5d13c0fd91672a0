/** `tandem sessions export`, and `/export` in a session; existing files are never overwritten. */
import { resolve } from 'node:path';
import { openSessionStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { writeNewFile } from '../../disk/named-output.ts';
import { readConversation } from '../../pipeline/sessions/read-own-sessions.ts';
import { parseExportFormat, exportSession, type ExportFormat } from '../../report/run/session-export.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import { readSession } from '../../run-folder/session-events.ts';
import { type TextFlags, EXIT, type Io } from '../command-context.ts';
import { findSession } from './terminal-session.ts';

export async function exportCommand(
  name: string,
  { format = 'md', out }: TextFlags<'format' | 'out'>,
  io: Io,
): Promise<number> {
  const wanted = parseExportFormat(format);
  const home = findHome(io.cwd);
  const folder = await findSession(openSessionStore(home), name);
  const text = await exportConversation(folder, wanted);
  if (out === undefined) io.out(text.trimEnd());
  else io.err(`written: ${await writeNewFile({ flag: '--out', path: resolve(io.cwd, out), ...home }, text)}`);
  return EXIT.met;
}

export async function exportConversation(folder: SessionFolder, format: ExportFormat): Promise<string> {
  const now = await readSession(folder);
  return exportSession(format, { id: folder.id, now, entries: await readConversation(folder, now) });
}

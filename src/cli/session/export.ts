/** `tandem sessions export`, and `/export` in a session: never over a file that is there. */
import { resolve } from 'node:path';
import { openSessionStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { createExclusive } from '../../disk/atomic-write.ts';
import { errnoOf } from '../../disk/disk-fault.ts';
import { messageOf, usageError } from '../../errors.ts';
import { conversationOf } from '../../pipeline/sessions/read-own-sessions.ts';
import { exportFormat, exportSession, type ExportFormat } from '../../report/run/session-export.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import { readSession } from '../../run-folder/session-events.ts';
import type { Texts } from '../call.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { foundSession } from './talk.ts';

export async function exportCommand(
  name: string,
  { format = 'md', out }: Texts<'format' | 'out'>,
  io: Io,
): Promise<number> {
  const wanted = exportFormat(format);
  const folder = await foundSession(openSessionStore(findHome(io.cwd)), name);
  const text = await exported(folder, wanted);
  if (out === undefined) io.out(text.trimEnd());
  else io.err(`written: ${await writeNew(resolve(io.cwd, out), text)}`);
  return EXIT.met;
}

export async function exported(folder: SessionFolder, format: ExportFormat): Promise<string> {
  const now = await readSession(folder);
  return exportSession(format, { id: folder.id, now, entries: await conversationOf(folder, now) });
}

/** Resolves with the place. */
export async function writeNew(place: string, text: string): Promise<string> {
  const isNew = await createExclusive(place, text).catch((error: unknown) => {
    throw usageError(`${place} cannot be written (${errnoOf(error) ?? messageOf(error)}).`);
  });
  if (!isNew) throw usageError(`${place} is there already: name another file.`);
  return place;
}

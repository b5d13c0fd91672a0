/** An attempt that several machines work on: the store has its files by digest, and each machine has a copy of them. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Attempt } from '../../ports/artifacts.ts';
import { confinePath } from '../../disk/confine.ts';
import { getErrno, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { Query } from './database.ts';
import type { StoredFiles } from './stored-files.ts';

export type AttemptContext = { ask: Query; files: StoredFiles; run: string; dir: string };

/** Inserts nothing after a takeover, which renames the row. Its lock makes a takeover wait for a write in progress. */
export const REMEMBER = `
  WITH mine AS (SELECT id FROM $S.attempt WHERE run = $1 AND name = $2 FOR SHARE)
  INSERT INTO $S.answer (attempt, name, body) SELECT id, $3, $4 FROM mine
  ON CONFLICT (attempt, name) DO UPDATE SET body = excluded.body RETURNING 1`;
/** Returns no row when the attempt is lost. */
export const RECALL = `
  SELECT answer.body FROM $S.attempt LEFT JOIN $S.answer ON answer.attempt = attempt.id AND answer.name = $3
  WHERE attempt.run = $1 AND attempt.name = $2`;

/** The name under which the list of files is stored among the answers. */
export const SHARED = 'shared-out';
/** The agent's transcript, as the file next to `out`: it is published when the run ends in the middle of the step. */
export const SAID = 'shared-said';
export const SAID_FILE = 'transcript.jsonl';
/** A file in the folder of a copied attempt that names the attempt it was copied from. */
const COPY_OF = 'copy-of';

const SharedFiles = z.array(z.strictObject({ path: z.string(), digest: z.string(), bytes: z.number() }));

/** Contract: false when the attempt is lost. */
export async function shareAttempt({ ask, files, run }: AttemptContext, { dir, out }: Attempt): Promise<boolean> {
  const body = Buffer.from(`${JSON.stringify(await files.send(out))}\n`);
  const said = await valueOnErrno('ENOENT', undefined, readFile(join(dir, SAID_FILE)));
  if (said !== undefined) await ask(REMEMBER, [run, basename(dir), SAID, said]);
  return (await ask(REMEMBER, [run, basename(dir), SHARED, body])).length > 0;
}

/** Copies what the holder has shared. Contract: false when there is no such attempt, or nothing is shared. */
export async function joinAttempt({ ask, files, run, dir }: AttemptContext, name: string): Promise<boolean> {
  const [row] = await ask<{ body: Buffer | null }>(RECALL, [run, name, SHARED]);
  if (row?.body == null) return false;
  const place = confinePath(join(dir, 'wip'), name);
  const text = row.body.toString('utf8');
  const digest = sha256(text);
  const copyOf = await valueOnErrno('ENOENT', undefined, readFile(join(place, COPY_OF), 'utf8'));
  if (copyOf === digest) return true;
  const made = join(dirname(place), `.join-${randomUUID()}`);
  try {
    await mkdir(join(made, 'turns'), { recursive: true });
    await files.fetch(join(made, 'out'), parseFile(SharedFiles, text, `what ${name} shares`));
    await writeFile(join(made, COPY_OF), digest);
    // Original files mean that this process holds the attempt; a folder with answers alone was only looked at.
    const own = await valueOnErrno('ENOENT', undefined, stat(join(place, 'out')));
    if (copyOf !== undefined || own === undefined) await rm(place, { recursive: true, force: true });
    await rename(made, place);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(getErrno(error) ?? '')) throw error;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return true;
}

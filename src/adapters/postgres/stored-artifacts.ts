/** Attempts and commits in the store: who works on a step, which answers were paid for, and what became final. */
import { mkdir, rm, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join, dirname } from 'node:path';
import type { Artifacts, Attempt } from '../../ports/artifacts.ts';
import { createLostError } from '../../disk/attempt-folder.ts';
import { confinePath } from '../../disk/confine.ts';
import { parseJsonFile, parseFile } from '../../disk/parse-file.ts';
import { readFileStamp } from '../files/file-journal.ts';
import { writeLocal } from './working-copy-files.ts';
import type { Query } from './database.ts';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { getErrno, valueOnErrno } from '../../disk/disk-fault.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { StoredFiles } from './stored-files.ts';

const NAMES = `
  SELECT answer.name FROM $S.attempt JOIN $S.answer ON answer.attempt = attempt.id
  WHERE attempt.run = $1 AND attempt.name = $2`;
/** Returns no row when the attempt is lost. An answer that was remembered earlier wins. */
const REMEMBER_FIRST = `
  WITH mine AS (SELECT id FROM $S.attempt WHERE run = $1 AND name = $2 FOR SHARE),
  put AS (INSERT INTO $S.answer (attempt, name, body) SELECT id, $3, $4 FROM mine ON CONFLICT DO NOTHING)
  SELECT 1 FROM mine`;
const LANE = `
  SELECT answer.name FROM $S.attempt
  LEFT JOIN $S.answer ON answer.attempt = attempt.id AND starts_with(answer.name, $3)
  WHERE attempt.run = $1 AND attempt.name = $2`;
const FORGET = `
  DELETE FROM $S.answer USING $S.attempt
  WHERE answer.attempt = attempt.id AND attempt.run = $1 AND attempt.name = $2 AND starts_with(answer.name, $3)`;
const EXISTS = 'SELECT 1 FROM $S.attempt WHERE run = $1 AND name = $2';

/** Wraps the artifacts of the working copy, which are `local`. */
export function openStoredArtifacts(local: Artifacts, around: AttemptContext): Artifacts {
  const { ask, files, run } = around;
  return {
    committed: async (target, verify) => {
      await files.pull();
      return local.committed(target, verify);
    },

    begin: async (step, target, seed) => {
      await files.pull();
      for (;;) {
        const [dead] = await ask<{ name: string }>('SELECT name FROM $S.attempt WHERE run = $1 AND step = $2', [
          run,
          step,
        ]);
        // Uses a new folder: an earlier holder, even in this process, keeps its files until it learns of the takeover.
        const attempt = await local.begin(step, target, seed);
        const name = basename(attempt.dir);
        if (await takeOver({ ask, run, step }, { dead: dead?.name, name })) {
          if (dead !== undefined) await restoreAnswers(around, name);
          return storedAttempt(attempt, around);
        }
        await rm(attempt.dir, { recursive: true, force: true });
      }
    },

    attemptAt: (folder, target) => storedAttempt(local.attemptAt(folder, target), around),

    join: async (folder, target) => {
      if (!(await joinAttempt(around, folder))) return undefined;
      const attempt = await local.join(folder, target);
      return attempt && storedAttempt(attempt, around);
    },

    commit: async (attempt) => {
      await files.commit(attempt.target, basename(attempt.dir), () => local.commit(attempt));
      const committed = await local.committed(attempt.target);
      if (committed === undefined) throw createLostError(attempt);
      return committed;
    },

    live: async () => {
      const rows = await ask<{ name: string }>('SELECT name FROM $S.attempt WHERE run = $1', [run]);
      for (const { name } of rows) await restoreAnswers(around, name);
      return rows.map(({ name }) => name);
    },

    discard: async (step) => {
      await ask('DELETE FROM $S.attempt WHERE run = $1 AND step = $2', [run, step]);
      await local.discard(step);
    },
  };
}

/** Exactly one of several callers takes the attempt over. Contract: repeated after an outage, the same caller does. */
async function takeOver(
  { ask, run, step }: { ask: Query; run: string; step: string },
  { dead, name }: { dead: string | undefined; name: string },
): Promise<boolean> {
  if (dead === undefined)
    await ask('INSERT INTO $S.attempt (run, step, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [run, step, name]);
  else await ask('UPDATE $S.attempt SET name = $3 WHERE run = $1 AND name = $2', [run, dead, name]);
  return (await ask(EXISTS, [run, name])).length > 0;
}

function storedAttempt(attempt: Attempt, around: AttemptContext): Attempt {
  const { ask, run, dir } = around;
  const name = basename(attempt.dir);
  const put = async (query: string, what: string, value: unknown) => {
    confinePath(dir, what);
    const body = Buffer.from(`${JSON.stringify(value)}\n`);
    if ((await ask(query, [run, name, what, body])).length === 0) throw createLostError(attempt);
  };
  return {
    ...attempt,
    exists: async () => (await attempt.exists()) && (await ask(EXISTS, [run, name])).length > 0,
    recall: async (what) => {
      const here = await attempt.recall(what);
      if (here !== undefined) return here;
      const [row] = await ask<{ body: Buffer | null }>(RECALL, [run, name, what]);
      if (row === undefined) throw createLostError(attempt);
      return row.body === null ? undefined : parseJsonFile(row.body.toString('utf8'), `${what} of ${attempt.step}`);
    },
    remember: async (what, value) => {
      await put(REMEMBER, what, value);
      await attempt.remember(what, value);
    },
    rememberFirst: (what, value) => put(REMEMBER_FIRST, what, value),
    remembered: async (lane) => {
      const rows = await ask<{ name: string | null }>(LANE, [run, name, `${lane}/`]);
      if (rows.length === 0) throw createLostError(attempt);
      return rows.flatMap((row) => (row.name === null ? [] : [row.name.slice(lane.length + 1)]));
    },
    forget: async (lane) => {
      await ask(FORGET, [run, name, `${lane}/`]);
      await attempt.forget(lane);
    },
    share: async () => {
      if (!(await shareAttempt(around, attempt))) throw createLostError(attempt);
    },
  };
}

/** Writes the remembered answers of the attempt of that name into the folder of that name. */
async function restoreAnswers({ ask, run, dir }: AttemptContext, name: string): Promise<void> {
  const turns = join(confinePath(join(dir, 'wip'), name), 'turns');
  await mkdir(turns, { recursive: true });
  for (const { name: what } of await ask<{ name: string }>(NAMES, [run, name])) {
    if (what === SHARED) continue;
    const place = what === SAID ? join(turns, '..', SAID_FILE) : confinePath(turns, `${what}.json`);
    // The holder of the attempt has a newer transcript.
    if (what === SAID && (await readFileStamp(place)) !== undefined) continue;
    const [row] = await ask<{ body: Buffer | null }>(RECALL, [run, name, what]);
    if (row?.body != null) await writeLocal(place, row.body.toString('utf8'));
  }
}

type AttemptContext = { ask: Query; files: StoredFiles; run: string; dir: string };

/** Inserts nothing after a takeover, which renames the row. Its lock makes a takeover wait for a write in progress. */
const REMEMBER = `
  WITH mine AS (SELECT id FROM $S.attempt WHERE run = $1 AND name = $2 FOR SHARE)
  INSERT INTO $S.answer (attempt, name, body) SELECT id, $3, $4 FROM mine
  ON CONFLICT (attempt, name) DO UPDATE SET body = excluded.body RETURNING 1`;
/** Returns no row when the attempt is lost. */
const RECALL = `
  SELECT answer.body FROM $S.attempt LEFT JOIN $S.answer ON answer.attempt = attempt.id AND answer.name = $3
  WHERE attempt.run = $1 AND attempt.name = $2`;

/** The name under which the list of files is stored among the answers. */
const SHARED = 'shared-out';
/** The agent's transcript, as the file next to `out`: it is published when the run ends in the middle of the step. */
const SAID = 'shared-said';
const SAID_FILE = 'transcript.jsonl';
/** A file in the folder of a copied attempt that names the attempt it was copied from. */
const COPY_OF = 'copy-of';

const SharedFiles = z.array(z.strictObject({ path: z.string(), digest: z.string(), bytes: z.number() }));

/** Contract: false when the attempt is lost. */
async function shareAttempt({ ask, files, run }: AttemptContext, { dir, out }: Attempt): Promise<boolean> {
  const body = Buffer.from(`${JSON.stringify(await files.send(out))}\n`);
  const said = await valueOnErrno('ENOENT', undefined, readFile(join(dir, SAID_FILE)));
  if (said !== undefined) await ask(REMEMBER, [run, basename(dir), SAID, said]);
  return (await ask(REMEMBER, [run, basename(dir), SHARED, body])).length > 0;
}

/** Copies what the holder has shared. Contract: false when there is no such attempt, or nothing is shared. */
async function joinAttempt({ ask, files, run, dir }: AttemptContext, name: string): Promise<boolean> {
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

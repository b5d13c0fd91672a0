/** Small files that processes leave for each other, as rows: their root is a row that is no run, and each is the only line of its book. */
import { randomUUID } from 'node:crypto';
import { confinePath } from '../../disk/confine.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { Query } from './database.ts';

/** Cannot clash with a run, because no run id contains a slash. */
const PREFIX = 'shared/';

const ROOT = `root AS (INSERT INTO $S.run (id, scenario) VALUES ($1, '') ON CONFLICT DO NOTHING)`;
const WRITE = `
  WITH ${ROOT}
  INSERT INTO $S.line (run, book, seq, body, writer) VALUES ($1, $2, 0, $3, $4::uuid)
  ON CONFLICT (run, book, seq) DO UPDATE SET body = excluded.body, writer = excluded.writer`;
/** Returns our own row when the statement is repeated. */
const CREATE = `
  WITH ${ROOT},
  own AS (
    INSERT INTO $S.line (run, book, seq, body, writer) VALUES ($1, $2, 0, $3, $4::uuid)
    ON CONFLICT DO NOTHING RETURNING seq)
  SELECT seq FROM own
  UNION ALL SELECT seq FROM $S.line WHERE run = $1 AND book = $2 AND seq = 0 AND writer = $4::uuid`;

export function openStoredShared({ ask }: { ask: Query }, root: string): SharedFiles {
  const run = PREFIX + root;
  const checked = (path: string): string => {
    confinePath('/', path);
    return path;
  };
  return {
    list: async (folder) => {
      const below = `${checked(folder)}/`;
      const text = 'SELECT book, body FROM $S.line WHERE run = $1 AND starts_with(book, $2)';
      const rows = await ask<{ book: string; body: string }>(text, [run, below]);
      return new Map(rows.map(({ book, body }) => [book.slice(below.length), body]));
    },
    read: async (path) => {
      const text = 'SELECT body FROM $S.line WHERE run = $1 AND book = $2';
      const [row] = await ask<{ body: string }>(text, [run, checked(path)]);
      return row?.body;
    },
    write: async (path, text) => void (await ask(WRITE, [run, checked(path), text, randomUUID()])),
    create: async (path, text) => (await ask(CREATE, [run, checked(path), text, randomUUID()])).length > 0,
    // A caller whose answer was lost gets false although it took the file: nobody else has it, and it can be recreated.
    take: async (path, seen) => {
      const text = 'DELETE FROM $S.line WHERE run = $1 AND book = $2 AND body = $3 RETURNING seq';
      return (await ask(text, [run, checked(path), seen])).length > 0;
    },
    remove: async (path) => {
      const text = 'DELETE FROM $S.line WHERE run = $1 AND (book = $2 OR starts_with(book, $3))';
      await ask(text, [run, checked(path), `${path}/`]);
    },
  };
}

/** Deletes the shared files together with the run that they are about. */
export async function dropShared({ ask }: { ask: Query }, root: string): Promise<void> {
  await ask('DELETE FROM $S.run WHERE id = $1', [PREFIX + root]);
}

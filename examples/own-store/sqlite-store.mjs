/** A store of somebody's own: the events and the money of all runs are rows of one SQLite file, which any tool can ask. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The number before has to be there, and of two who write the same number the first counts. */
const INSERT = `INSERT INTO line SELECT ?1, ?2, ?3
  WHERE ?2 = 0 OR EXISTS (SELECT 1 FROM line WHERE book = ?1 AND number = ?2 - 1) ON CONFLICT DO NOTHING`;

export function sqliteStore(project, { file = 'runs.sqlite' }) {
  const database = new DatabaseSync(join(project, file));
  database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS line (book TEXT, number INTEGER, text TEXT, PRIMARY KEY (book, number)) WITHOUT ROWID',
  );
  const insert = database.prepare(INSERT);
  const select = database.prepare('SELECT text FROM line WHERE book = ? AND number >= ? ORDER BY number');
  const drop = database.prepare('DELETE FROM line WHERE book = ?');
  return {
    append: (book, number, text) => insert.run(book, number, text).changes === 1,
    read: (book, from) => select.all(book, from).map(({ text }) => text),
    remove: (book) => drop.run(book),
    close: () => database.close(),
  };
}

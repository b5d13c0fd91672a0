/** A queue of somebody's own: what waits, and who holds it, are rows of one SQLite file. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const TABLE = `CREATE TABLE IF NOT EXISTS item (
  lane TEXT, key TEXT, place INTEGER, pointer TEXT, starts INTEGER DEFAULT 0, hold TEXT, until INTEGER DEFAULT 0,
  again TEXT, PRIMARY KEY (lane, key))`;
/** One that is held waits as \`again\` until it is done. */
const PUT = `INSERT INTO item (lane, key, place, pointer) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT DO UPDATE SET place = ?3, again = iif(until > ?5, ?4, NULL), pointer = iif(until > ?5, pointer, ?4)`;
const TAKE = `UPDATE item SET hold = ?2, until = ?3, starts = starts + 1
  WHERE rowid = (SELECT rowid FROM item WHERE until <= ?4 AND lane IN (SELECT value FROM json_each(?1)) ORDER BY place LIMIT 1)
  RETURNING lane, key, pointer, hold, starts`;
const RENEW = 'UPDATE item SET until = ?2 WHERE hold = ?1 AND until > ?3';
const AGAIN = `UPDATE item SET pointer = again, again = NULL, hold = NULL, until = 0, starts = 0
  WHERE hold = ?1 AND until > ?2 AND again IS NOT NULL`;
const DONE = 'DELETE FROM item WHERE hold = ?1 AND until > ?2';

export function sqliteQueue(project, { file = 'queue.sqlite' }) {
  const database = new DatabaseSync(join(project, file));
  database.exec(`PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; ${TABLE}`);
  const [put, take, renew, again, done] = [PUT, TAKE, RENEW, AGAIN, DONE].map((text) => database.prepare(text));
  const list = database.prepare('SELECT lane, key, until > ? AS held FROM item');
  return {
    put: ({ lane, key, order, pointer }) => put.run(lane, key, order, pointer, Date.now()),
    take: (lanes, holdMs) => take.get(JSON.stringify(lanes), randomUUID(), Date.now() + holdMs, Date.now()),
    renew: (hold, holdMs) => renew.run(hold, Date.now() + holdMs, Date.now()).changes === 1,
    done(hold) {
      if (again.run(hold, Date.now()).changes === 0) done.run(hold, Date.now());
    },
    list: () => list.all(Date.now()).map(({ lane, key, held }) => ({ lane, key, isHeld: held === 1 })),
    close: () => database.close(),
  };
}

/** The row of a new run or session: one of several callers makes it. */
import { randomUUID } from 'node:crypto';
import type { Ask } from './database.ts';

/** Our own row when this is repeated: an answer may be lost after the server has done what was asked. */
const INSERT = `
  WITH own AS (INSERT INTO $S.run (id, scenario) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id),
  made AS (INSERT INTO $S.line (run, book, seq, body, writer) SELECT id, 'made', 0, '', $3::uuid FROM own)
  SELECT id FROM own
  UNION ALL SELECT run FROM $S.line WHERE run = $1 AND book = 'made' AND writer = $3::uuid`;

/** Contract: false when the id is taken. */
export async function insertRow(ask: Ask, { id, scenario }: { id: string; scenario: string }): Promise<boolean> {
  return (await ask(INSERT, [id, scenario, randomUUID()])).length > 0;
}

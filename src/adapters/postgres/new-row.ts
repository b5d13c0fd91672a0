/** Inserts the row of a new run or session, of which exactly one of several callers succeeds, and lists rows that are no runs. */
import { randomUUID } from 'node:crypto';
import { isRunId } from '../files/find-runs.ts';
import type { Query } from './database.ts';

/** Returns our own row when the statement is repeated: the answer may be lost after the server has inserted it. */
const INSERT = `
  WITH own AS (INSERT INTO $S.run (id, scenario) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id),
  made AS (INSERT INTO $S.line (run, book, seq, body, writer) SELECT id, 'made', 0, '', $3::uuid FROM own)
  SELECT id FROM own
  UNION ALL SELECT run FROM $S.line WHERE run = $1 AND book = 'made' AND writer = $3::uuid`;

/** Contract: false when the id is taken. */
export async function insertRow(ask: Query, { id, scenario }: { id: string; scenario: string }): Promise<boolean> {
  return (await ask(INSERT, [id, scenario, randomUUID()])).length > 0;
}

/** The ids behind the prefix, sorted. */
export async function listIds(ask: Query, prefix: string, where: 'length > 0' | 'born IS NULL'): Promise<string[]> {
  const rows = await ask<{ id: string }>(`SELECT id FROM $S.run WHERE ${where} AND starts_with(id, $1)`, [prefix]);
  const ids = rows.map(({ id }) => id.slice(prefix.length));
  return ids.filter(isRunId).toSorted();
}

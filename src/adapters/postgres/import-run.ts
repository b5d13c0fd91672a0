/** Imports a run folder into the store: other processes see either the whole run or nothing. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { readNumberedFiles } from '../../disk/numbered-files.ts';
import { readLedgerFiles } from '../files/spend-ledger.ts';
import { listFiles } from './working-copy-files.ts';
import type { Query, Database } from './database.ts';
import { putRows, type SentFile } from './file-rows.ts';
import { digestOfFile, storeFile } from './stored-pieces.ts';
import { openStoredShared } from './stored-shared.ts';

export type ImportedRun = { id: string; scenario: string; dir: string };

/**
 * `shared` holds the files of these paths that a store keeps as separate rows. Contract: `usage` when the store already
 * has a run of that id; the remains of an interrupted import are replaced.
 */
export async function importRun(
  { ask, together }: Database,
  { id, scenario, dir }: ImportedRun,
  shared: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const before = await ask<{ born: string | null }>('SELECT born FROM $S.run WHERE id = $1', [id]);
  if (before[0]?.born != null) throw runExistsError(id);
  await ask('DELETE FROM $S.run WHERE id = $1 AND born IS NULL', [id]);
  await ask('INSERT INTO $S.run (id, scenario) VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, scenario]);
  const files: SentFile[] = [];
  for (const path of await listFiles(dir)) {
    if (shared.has(path)) continue;
    const found = { path, ...(await digestOfFile(join(dir, path))) };
    await storeFile(ask, id, { path: join(dir, path), digest: found.digest });
    files.push(found);
  }
  const events = (await readNumberedFiles(join(dir, 'events'), 0)).map(({ text }) => text);
  const [first] = events;
  if (first === undefined) throw new HarnessError('data_corrupt', `${dir} has no event: it is no run.`);
  const born = (JSON.parse(first) as { ts: string }).ts;
  const spend =
    (await stat(join(dir, 'spend')).catch(() => undefined)) && (await readLedgerFiles(join(dir, 'spend'), 0));
  await together(async (within) => {
    const [row] = await within<{ born: string | null }>('SELECT born FROM $S.run WHERE id = $1 FOR UPDATE', [id]);
    // The statement was repeated after an outage, and its first execution has succeeded.
    if (row?.born === born) return;
    if (row === undefined || row.born !== null) throw runExistsError(id);
    await insertLines(within, { id, book: 'events', texts: events });
    await insertLines(within, { id, book: 'spend', texts: spend?.texts.map(({ text }) => text) ?? [] });
    await putRows(within, { run: id, rev: 1, changes: files, removed: [] });
    const beside = openStoredShared({ ask: within }, id);
    for (const [path, text] of shared) await beside.write(path, text);
    await within('UPDATE $S.run SET rev = 1, born = $2, length = $3 WHERE id = $1', [id, born, events.length]);
  });
}

async function insertLines(
  ask: Query,
  { id, book, texts }: { id: string; book: 'events' | 'spend'; texts: readonly string[] },
): Promise<void> {
  await ask(
    `INSERT INTO $S.line (run, book, seq, body, writer)
     SELECT $1, $2, n - 1, body, $4::uuid FROM unnest($3::text[]) WITH ORDINALITY AS l (body, n)`,
    [id, book, texts, randomUUID()],
  );
}

function runExistsError(id: string): HarnessError {
  return new HarnessError('usage', `The store has a run ${id} already: it is left as it is.`, { details: { run: id } });
}

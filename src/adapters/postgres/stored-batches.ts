/** Batches in the store: a row that is no run, with the batch itself and the budget that its runs share. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Spending } from '../../ports/run-store.ts';
import type { BatchStore } from '../../ports/batches.ts';
import { openFileSpending } from '../files/file-spending.ts';
import type { Database } from './database.ts';
import { listIds } from './new-row.ts';
import { openStoredNumbers } from './stored-numbers.ts';

/** Cannot clash with a run, because no run id contains a slash. */
const PREFIX = 'batch/';

export type StoredBatchesOptions = {
  /** This process's folder for what was read from the server of an era. */
  root: (era: number) => Promise<string>;
  placed: (run: { id: string; scenario: string }) => Promise<{ dir: string }>;
};

export function openStoredBatches(database: Database, { root, placed }: StoredBatchesOptions): BatchStore {
  const { ask } = database;
  const at = (id: string): string => PREFIX + id;
  /** Each ledger is read once per era of the server. */
  const ledgers = new Map<string, Spending>();
  return {
    ids: () => listIds(ask, PREFIX, 'born IS NULL'),
    read: async (id) => {
      const [row] = await ask<{ text: string }>('SELECT about::text AS text FROM $S.run WHERE id = $1', [at(id)]);
      return row?.text;
    },
    write: async (id, text) => {
      await ask(
        `INSERT INTO $S.run (id, scenario, about) VALUES ($1, '', $2::jsonb)
         ON CONFLICT (id) DO UPDATE SET about = excluded.about`,
        [at(id), text],
      );
    },
    remove: async (id) => void (await ask('DELETE FROM $S.run WHERE id = $1', [at(id)])),
    spending: async (id) => {
      const era = database.era();
      const dir = join(await root(era), 'batches', id);
      await mkdir(dir, { recursive: true });
      const statements = database.boundTo(era);
      const ledger =
        ledgers.get(dir) ?? openFileSpending(dir, openStoredNumbers(statements, { run: at(id), book: 'spend', dir }));
      ledgers.set(dir, ledger);
      return ledger;
    },
    dirOf: async ({ run, scenario }) => (await placed({ id: run, scenario })).dir,
  };
}

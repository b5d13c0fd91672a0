/** The run store in PostgreSQL: runs are found there, and worked on in working copies that belong to one process. */
import { basename, isAbsolute, resolve, sep } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { BatchStore } from '../../ports/batches.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { onDisk } from '../../disk/disk-fault.ts';
import { isRunId, type FoundRun } from '../files/find-runs.ts';
import { badId, noSuchRun, pickRun } from '../files/name-run.ts';
import { openDatabase, type Database } from './database.ts';
import { importRun } from './import-run.ts';
import { openStoredBatches } from './stored-batches.ts';
import { openCopies, type Copies, type CopiesOptions } from './working-copies.ts';

export { migrateStore } from './database.ts';
export type { Migration } from './database.ts';

export type PostgresRunStoreOptions = CopiesOptions & {
  url: string;
  schema: string;
  onNotice?: (detail: string) => void;
};

export type PostgresRunStore = RunStore & {
  readonly listed: NonNullable<RunStore['listed']>;
  readonly server: NonNullable<RunStore['server']>;
  readonly batches: BatchStore;
  /** Contract: as `importRun`. */
  adopt(run: { id: string; scenario: string; dir: string }): Promise<void>;
  /** Sends what was written by path into the working copy of a run, or of all. */
  flush(runDir?: string): Promise<void>;
  /** Flushes. Must be waited for. */
  close(): Promise<void>;
};

type Listed = { id: string; scenario: string; length: number };

export function openPostgresRunStore(options: PostgresRunStoreOptions): PostgresRunStore {
  const { shown } = options;
  const database = openDatabase(options);
  const copies = openCopies(options, database);
  const { placed, at, whole, drop } = copies;
  const awaited = async (): Promise<string | undefined> => {
    const why = database.awaited();
    if (why === undefined) await database.ask('SELECT 1');
    return why === undefined ? undefined : `the store ${shown} is away: ${why}`;
  };

  const folders = async (): Promise<(FoundRun & { length: number })[]> => {
    const rows = await database.ask<Listed>(
      'SELECT id, scenario, length FROM $S.run WHERE born IS NOT NULL ORDER BY born DESC, id DESC',
    );
    return Promise.all(rows.map(async (row) => ({ ...(await placed(row)), length: row.length })));
  };

  const locate = openLocate(options, { database, copies, folders });

  return {
    create: async (scenarioDir, id) => {
      checkNames(scenarioDir, id);
      const row = { id, scenario: basename(scenarioDir) };
      if (!(await insertRun(database, row))) throw isTaken(id, shown);
      return whole(await placed(row));
    },
    draft: async (scenarioDir, id) => {
      checkNames(scenarioDir, id);
      const row = { id, scenario: basename(scenarioDir) };
      if (!(await insertRun(database, row))) throw isTaken(id, shown);
      return copies.draft(row, async (run) => {
        await importRun(database, run);
        return whole(await placed(row));
      });
    },
    open: (name) => onDisk(`Opening run ${name}`, async () => whole(await locate(name))),
    at: (found) => at(found).folder,
    folders,
    list: folders,
    listed: openListed(database),
    server: { awaited },
    batches: openStoredBatches(database, copies),
    archived: () => Promise.resolve([]),
    archive: () => Promise.reject(unsupported('tandem runs archive')),
    // There are no archives: every run can be appended to.
    restore: () => Promise.resolve(),
    sweep: () => Promise.resolve([]),
    remove: async ({ dir }) => {
      await database.ask('DELETE FROM $S.run WHERE id = $1', [basename(dir)]);
      await drop(dir);
    },
    adopt: (run) => importRun(database, run),
    flush: copies.flush,
    close: async () => {
      try {
        await copies.flush();
      } finally {
        await database.close();
      }
    },
  };
}

type Finding = { database: Database; copies: Copies; folders: () => Promise<FoundRun[]> };

/** By id, by the beginning of only one, or by the path of its working copy here. */
function openLocate({ shown }: PostgresRunStoreOptions, { database, copies, folders }: Finding) {
  return async (name: string): Promise<FoundRun> => {
    const isPath = name.includes('/') || name.includes(sep);
    if (isPath && !resolve(name).startsWith((await copies.work()) + sep)) throw notHere(name, shown);
    const wanted = isPath ? basename(resolve(name)) : name;
    const rows = await database.ask<Listed>(
      `SELECT id, scenario, length FROM $S.run WHERE id = $1 OR ($2 AND born IS NOT NULL AND starts_with(id, $1))
       ORDER BY id = $1 DESC, born DESC LIMIT 50`,
      [wanted, !isPath && name !== ''],
    );
    const found = pickRun(wanted, await Promise.all(rows.map(copies.placed)));
    if (found !== undefined) return found;
    // A batch looks for runs that are not begun; nobody types such a path.
    const there = isPath ? [] : await folders();
    return noSuchRun(
      wanted,
      there.map(({ id }) => id),
    );
  };
}

function openListed({ ask }: Database): PostgresRunStore['listed'] {
  return {
    read: async () => {
      const rows = await ask<{ id: string; about: unknown }>(
        'SELECT id, about FROM $S.run WHERE about IS NOT NULL AND born IS NOT NULL',
      );
      return new Map(rows.map(({ id, about }) => [id, about]));
    },
    write: async (changed) => {
      const [ids, abouts] = [[...changed.keys()], [...changed.values()].map((about) => JSON.stringify(about))];
      await ask(
        // Not what another server has lost.
        `UPDATE $S.run SET about = c.about FROM unnest($1::text[], $2::jsonb[]) AS c (id, about)
         WHERE run.id = c.id AND (c.about->>'length')::int <= run.length`,
        [ids, abouts],
      );
    },
  };
}

async function insertRun({ ask }: Database, { id, scenario }: Pick<Listed, 'id' | 'scenario'>): Promise<boolean> {
  const text = 'INSERT INTO $S.run (id, scenario) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id';
  return (await ask(text, [id, scenario])).length > 0;
}

function checkNames(scenarioDir: string, id: string): void {
  if (!isRunId(id)) throw badId(id);
  if (isAbsolute(scenarioDir)) return;
  throw new HarnessError('usage', `${scenarioDir} is not absolute: give the whole path of the scenario's folder.`);
}

function isTaken(id: string, shown: string): HarnessError {
  const message = `A run ${id} exists already in ${shown}: choose another id, or tandem resume ${id}.`;
  return new HarnessError('usage', message);
}

function unsupported(command: string): HarnessError {
  return new HarnessError(
    'usage',
    `${command} works on run folders, and this project's runs are in a store (TANDEM_STORE).`,
  );
}

function notHere(name: string, shown: string): HarnessError {
  const message = `${name} is not a run folder of this store: ${shown} finds runs by their ids. tandem status lists them; without TANDEM_STORE folders are opened by path.`;
  return new HarnessError('not_found', message, { details: { dir: resolve(name) } });
}

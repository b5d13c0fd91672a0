/** The run store in PostgreSQL: runs are found there, and worked on in working copies that belong to one process. */
import { basename, join, resolve, sep } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { RunStore, SessionStore } from '../../ports/run-store.ts';
import type { BatchStore } from '../../ports/batches.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import { onDisk } from '../../disk/disk-fault.ts';
import { type FoundRun, nameRun, noSuchRun, pickRun, takenId } from '../files/find-runs.ts';
import { openDatabase, type Database } from './database.ts';
import { importRun } from './import-run.ts';
import { insertRow } from './new-row.ts';
import { openStoredBatches } from './stored-batches.ts';
import { openStoredSessions } from './stored-sessions.ts';
import { openWorkingCopies, type WorkingCopies, type WorkingCopiesOptions } from './working-copies.ts';
import { dropShared, openStoredShared } from './stored-shared.ts';
import { sweepPieces } from './sweep-pieces.ts';

export { migrateStore, type Migration } from './database.ts';

export type PostgresRunStoreOptions = WorkingCopiesOptions & {
  url: string;
  schema: string;
};

export type PostgresRunStore = RunStore & {
  readonly listed: NonNullable<RunStore['listed']>;
  readonly server: NonNullable<RunStore['server']>;
  readonly batches: BatchStore;
  /** The shared files of the project. */
  readonly shared: SharedFiles;
  readonly sessions: SessionStore;
  /** The labels of all runs of a scenario. */
  labelsOf(scenario: string): SharedFiles;
  /** Contract: as `importRun`. */
  adopt(run: { id: string; scenario: string; dir: string }, shared?: ReadonlyMap<string, string>): Promise<void>;
  /** Sends what was written by path into the working copy of one run, or of all. */
  flush(runDir?: string): Promise<void>;
  /** Flushes first; the caller must await it. */
  close(): Promise<void>;
};

const NEWEST_FIRST = 'SELECT id, scenario, length FROM $S.run WHERE born IS NOT NULL ORDER BY born DESC, id DESC';
const AT_WORK = 'SELECT id, scenario FROM $S.run WHERE born IS NOT NULL AND id IN (SELECT run FROM $S.attempt)';

type ListedRun = { id: string; scenario: string; length: number };

export function openPostgresRunStore(options: PostgresRunStoreOptions): PostgresRunStore {
  const { shown } = options;
  const database = openDatabase(options);
  const copies = openWorkingCopies(options, database);
  const { placed, placedAll, at, whole, drop } = copies;
  const awaited = async (): Promise<string | undefined> => {
    const why = database.awaited();
    if (why === undefined) await database.ask('SELECT 1');
    return why === undefined ? undefined : `the store ${shown} is away: ${why}`;
  };

  const folders = async () => placedAll(await database.ask<ListedRun>(NEWEST_FIRST));

  const locate = openLocate(options, { database, copies, folders });
  const { sessions, flush: flushSessions } = openSessions(options, database, copies);

  const taken = (id: string) => findIdConflict(database, id, shown);

  return {
    create: async (scenarioDir, id) => {
      const row = nameRun(scenarioDir, id);
      // From now on no other process can take this id.
      if (!(await insertRow(database.ask, row)))
        throw (await taken(id)) ?? takenId(id, { where: shown, isBegun: true });
      return whole(await placed(row));
    },
    draft: async (scenarioDir, id) => {
      const row = nameRun(scenarioDir, id);
      const fault = await taken(id);
      if (fault !== undefined) throw fault;
      return copies.draft(row, async (run) => {
        await importRun(database, run);
        return whole(await placed(row));
      });
    },
    open: (name) => onDisk(`Opening run ${name}`, async () => whole(await locate(name))),
    at: (found) => at(found).folder,
    folders,
    list: folders,
    atWork: async () => placedAll(await database.ask<ListedRun>(AT_WORK)),
    listed: openListed(database),
    server: { awaited },
    batches: openStoredBatches(database, copies),
    shared: openStoredShared(database, 'project'),
    sessions,
    sweep: openSweep(database),
    remove: async ({ dir }) => {
      await database.ask('DELETE FROM $S.run WHERE id = $1', [basename(dir)]);
      await dropShared(database, basename(dir));
      await drop(dir);
    },
    labelsOf: (scenario) => openStoredShared(database, `scenario/${scenario}`),
    adopt: (run, shared) => importRun(database, run, shared),
    flush: copies.flush,
    close: async () => {
      try {
        await copies.flush().then(flushSessions);
      } finally {
        await database.close();
      }
    },
  };
}

function openSessions(options: PostgresRunStoreOptions, database: Database, { root, placed, whole }: WorkingCopies) {
  const found = async (id: string): Promise<FoundRun | undefined> => {
    const text = 'SELECT id, scenario FROM $S.run WHERE id = $1 AND born IS NOT NULL';
    const [row] = await database.ask<ListedRun>(text, [id]);
    return row && placed(row);
  };
  return openStoredSessions(database, {
    ...{ clock: options.clock, worker: options.worker, root },
    dirOf: async (id) => (await found(id))?.dir ?? join(await root(database.era()), 'no-run'),
    openRun: async (id) => {
      const run = await found(id);
      return run && whole(run);
    },
  });
}

function openSweep(database: Database): RunStore['sweep'] {
  return async ({ dryRun, empty = false, only } = {}) => {
    // Every command asks this when it starts; only a caller that wants the list looks at every run.
    if (only === undefined && !empty) return [];
    const swept = await sweepPieces(database, { only, dryRun });
    const does = dryRun === true ? 'Would free' : 'Freed';
    return swept.map(({ run, bytes }) => `${does} ${bytes} bytes of earlier versions of files of ${run}.`);
  };
}

type LocateDeps = { database: Database; copies: WorkingCopies; folders: () => Promise<FoundRun[]> };

/** Finds a run by its id, by an unambiguous prefix of it, or by the path of its working copy here. */
function openLocate({ shown }: PostgresRunStoreOptions, { database, copies, folders }: LocateDeps) {
  return async (name: string): Promise<FoundRun> => {
    const isPath = name.includes('/') || name.includes(sep);
    if (isPath && !resolve(name).startsWith((await copies.work()) + sep)) throw noSuchFolderError(name, shown);
    const wanted = isPath ? basename(resolve(name)) : name;
    const rows = await database.ask<ListedRun>(
      `SELECT id, scenario, length FROM $S.run WHERE id = $1 OR ($2 AND born IS NOT NULL AND starts_with(id, $1))
       ORDER BY id = $1 DESC, born DESC LIMIT 50`,
      [wanted, !isPath && name !== ''],
    );
    const [exact] = rows.filter(({ id }) => id === wanted);
    const found = exact === undefined ? pickRun(wanted, await copies.placedAll(rows)) : await copies.placed(exact);
    if (found !== undefined) return found;
    // A batch looks up paths of runs that have not begun; no person types these, so they get no suggestions.
    const there = isPath ? [] : (await folders()).map(({ id }) => id);
    return noSuchRun(wanted, there);
  };
}

function openListed({ ask }: Database): PostgresRunStore['listed'] {
  return {
    read: async () => {
      const text = 'SELECT id, about FROM $S.run WHERE about IS NOT NULL AND born IS NOT NULL';
      const rows = await ask<{ id: string; about: unknown }>(text);
      return new Map(rows.map(({ id, about }) => [id, about]));
    },
    write: async (changed) => {
      const [ids, abouts] = [[...changed.keys()], [...changed.values()].map((about) => JSON.stringify(about))];
      await ask(
        // Skips runs of which the server has lost events.
        `UPDATE $S.run SET about = c.about FROM unnest($1::text[], $2::jsonb[]) AS c (id, about)
         WHERE run.id = c.id AND (c.about->>'length')::int <= run.length`,
        [ids, abouts],
      );
    },
  };
}

async function findIdConflict({ ask }: Database, id: string, shown: string): Promise<HarnessError | undefined> {
  const text = 'SELECT born IS NOT NULL AS "isBegun" FROM $S.run WHERE id = $1';
  const [row] = await ask<{ isBegun: boolean }>(text, [id]);
  return row && takenId(id, { where: shown, isBegun: row.isBegun });
}

function noSuchFolderError(name: string, shown: string): HarnessError {
  const message = `${name} is not a run folder of this store: ${shown} finds runs by their ids. tandem status lists them; without TANDEM_STORE folders are opened by path.`;
  return new HarnessError('not_found', message, { details: { dir: resolve(name) } });
}

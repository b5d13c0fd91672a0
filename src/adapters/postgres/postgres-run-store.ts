/** The run store in PostgreSQL: runs are found there, and worked on in working copies that belong to one process. */
import { mkdir, rm } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve, sep } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { BatchStore } from '../../ports/batches.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DraftRun, RunFolder, RunStore } from '../../ports/run-store.ts';
import { onDisk } from '../../disk/disk-fault.ts';
import { isRunId, type FoundRun } from '../files/find-runs.ts';
import { openRunFolder } from '../files/run-folder.ts';
import { badId, noSuchRun, pickRun } from '../files/name-run.ts';
import { openDatabase, type Database } from './database.ts';
import { importRun } from './import-run.ts';
import { openStoredBatches } from './stored-batches.ts';
import { makeWork } from './work-folder.ts';
import { openStoredRun, type StoredRun } from './stored-run.ts';

export { migrateStore } from './database.ts';
export type { Migration } from './database.ts';

export type PostgresRunStoreOptions = {
  url: string;
  /** Without user and password. */
  shown: string;
  schema: string;
  clock: Clock;
  worker: string;
  /** True where the project has the scenario itself. */
  hasScenario?: (name: string) => boolean;
  onNotice?: (detail: string) => void;
  /** Where the working copies of this process are; default: a new folder in the user's cache. */
  work?: string;
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

type Copies = {
  /** The folder of this process. */
  work: () => Promise<string>;
  /** In it, what was read from the server of an era. */
  root: (era: number) => Promise<string>;
  placed: (row: Pick<Listed, 'id' | 'scenario'>) => Promise<FoundRun>;
  at: (found: FoundRun) => StoredRun;
  /** With every file in its folder. */
  whole: (found: FoundRun) => Promise<RunFolder>;
  flush: (runDir?: string) => Promise<void>;
  drop: (runDir: string) => Promise<void>;
  /** In a folder of this process, which `adopt` makes a run. */
  draft: (row: Pick<Listed, 'id' | 'scenario'>, adopt: (run: FoundRun) => Promise<RunFolder>) => Promise<DraftRun>;
};

const ERA = 'era-';

/** A working copy says by its place which server it was read from. */
function eraOf(runDir: string): number {
  const name = basename(resolve(runDir, '../../../..'));
  return name.startsWith(ERA) ? Number(name.slice(ERA.length)) : 0;
}

/** One working copy of each run. */
function openCopies(options: PostgresRunStoreOptions, database: Database): Copies {
  const { shown, clock, work, hasScenario = () => false } = options;
  const worker = options.worker.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 64) || 'worker';
  const opened = new Map<string, StoredRun>();
  let made: Promise<string> | undefined;
  const inWork = (): Promise<string> => (made ??= work === undefined ? makeWork(shown) : Promise.resolve(work));
  const root = async (era: number): Promise<string> => join(await inWork(), ...(era === 0 ? [] : [`${ERA}${era}`]));
  const at = (found: FoundRun): StoredRun => {
    const statements = database.boundTo(eraOf(found.dir));
    const run = opened.get(found.dir) ?? openStoredRun(found, { statements, clock, worker, hasScenario });
    opened.set(found.dir, run);
    return run;
  };
  return {
    work: inWork,
    root,
    at,
    placed: async ({ id, scenario }) => ({
      id,
      scenario,
      dir: join(await root(database.era()), 'scenarios', scenario, 'runs', id),
    }),
    whole: async (found) => {
      const run = at(found);
      await run.hydrate();
      return run.folder;
    },
    flush: async (runDir) => {
      const now = [...opened].filter(([dir]) => eraOf(dir) === database.era()).map(([, run]) => run);
      for (const run of runDir === undefined ? now : [opened.get(runDir)]) await run?.flush();
    },
    drop: async (runDir) => {
      opened.delete(runDir);
      await rm(runDir, { recursive: true, force: true });
    },
    draft: async (row, adopt) => {
      const found = { ...row, dir: join(await inWork(), 'drafts', row.id) };
      await mkdir(found.dir, { recursive: true });
      const away = () => rm(found.dir, { recursive: true, force: true });
      return {
        run: openRunFolder(found, { clock, worker }),
        publish: async () => {
          const run = await adopt(found);
          await away();
          return run;
        },
        drop: async () => {
          await away();
          await database.ask('DELETE FROM $S.run WHERE id = $1 AND born IS NULL', [row.id]);
        },
      };
    },
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

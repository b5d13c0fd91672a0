/** Opens the runs of a project, wherever they are stored, quickly, for commands that only read or decide. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openFileDrafts } from '../adapters/files/file-drafts.ts';
import { openFileRunStore } from '../adapters/files/file-run-store.ts';
import { openFileSessionStore, openFileBatches } from '../adapters/files/run-folder.ts';
import type { Migration, PostgresRunStore } from '../adapters/postgres/postgres-run-store.ts';
import type { Home } from '../config/home.ts';
import { chooseStore, type StoreAddress } from '../config/store.ts';
import { openSharedFiles } from '../disk/shared-files.ts';
import { withBatchBudgets } from '../batch/batch.ts';
import { HarnessError } from '../errors.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { RunStore, SessionStore, ReadDeps } from '../ports/run-store.ts';
import type { BatchStore } from '../ports/batches.ts';
import type { Drafts } from '../ports/drafts.ts';
import { optionalPackage } from '../optional-package.ts';
import { terminalText } from '../report/text/sanitise.ts';
import type { Progress } from '../ports/progress.ts';
import type { SharedFiles } from '../ports/shared-files.ts';

const clock = { now: () => new Date() };

/** The reasons why a folder cannot hold runs; empty when it can. */
export async function probeStore(dir: string): Promise<string[]> {
  return (await import('../adapters/files/probe-store.ts')).probeStore(dir);
}

/** True when runs are in a store, and folders are working copies. */
export function usesStore(): boolean {
  return chooseStore(process.env) !== undefined;
}

/** Adds the batches and sessions of the project, and the files that its processes leave for each other. */
export type ProjectDeps = ReadDeps & { batches: BatchStore; shared: SharedFiles; sessions: SessionStore };

export function openStore(home: Home, progress?: Progress): ProjectDeps {
  if (progress !== undefined) tell = progress;
  const { store, ...rest } = openStores(home);
  return { store: withBatchBudgets(store, rest.batches), ...rest, clock, progress: progress ?? (() => undefined) };
}

type ProjectStores = Pick<ProjectDeps, 'store' | 'batches' | 'shared' | 'sessions'>;

export function openSessionStore(home: Home): SessionStore {
  return openStores(home).sessions;
}

function openStores(home: Home): ProjectStores {
  const address = chooseStore(process.env);
  if (address !== undefined) return storeAt(address, home);
  const { project } = home;
  return {
    store: openFileRunStore({ roots: [join(project, 'scenarios')], clock, worker: `worker-${process.pid}` }),
    batches: openFileBatches(project),
    shared: openSharedFiles(project, { linked: true }),
    sessions: openFileSessionStore(project, { clock, worker: `session-${process.pid}` }),
  };
}

/** A store reports what it waits for, and the rows that it leaves out, to its last opener with a listener; otherwise to the terminal. */
let tell: Progress = (event) => {
  if (event.type === 'state') process.stderr.write(`${terminalText(event.detail)}\n`);
};

/** Keyed by address: a process has one connection to each store, and one working copy of each run. */
const opened = new Map<string, Promise<PostgresRunStore>>();

/** Loads the packages of a store at its first use. */
function storeAt(address: StoreAddress, home: Home): ProjectStores {
  const key = `${address.url} ${address.space}`;
  const open = (): Promise<PostgresRunStore> => getOrCreate(opened, key, () => openAddress(address, home));
  let loaded: PostgresRunStore | undefined;
  const store = async (): Promise<PostgresRunStore> => (loaded = await open());
  const runs: RunStore = {
    ...openLazily(store, (own) => own, ['create', 'draft', 'open', 'folders', 'list', 'sweep', 'remove']),
    at: (found) => {
      if (loaded !== undefined) return loaded.at(found);
      throw new HarnessError('infrastructure', `Run ${found.id} was found by nobody: the store is not open.`);
    },
    atWork: async () => (await (await store()).atWork?.()) ?? [],
    listed: openLazily(store, ({ listed }) => listed, ['read', 'write']),
    server: openLazily(store, ({ server }) => server, ['awaited']),
  };
  return {
    store: runs,
    batches: openLazily(store, ({ batches }) => batches, ['ids', 'read', 'write', 'remove', 'spending', 'dirOf']),
    shared: openLazily(store, ({ shared }) => shared, ['list', 'read', 'write', 'create', 'take', 'remove']),
    sessions: openLazily(store, ({ sessions }) => sessions, ['create', 'find', 'list']),
  };
}

/** Creates a port whose store is opened by the first call. */
function openLazily<Port extends object, Name extends keyof Port & string>(
  open: () => Promise<PostgresRunStore>,
  portOf: (store: PostgresRunStore) => Port,
  names: readonly Name[],
): Pick<Port, Name> {
  const calls = names.map((name) => [
    name,
    async (...given: unknown[]) =>
      (portOf(await open()) as Record<string, (...args: unknown[]) => unknown>)[name]?.(...given),
  ]);
  return Object.fromEntries(calls) as Pick<Port, Name>;
}

async function openAddress({ url, shown, space }: StoreAddress, home: Home): Promise<PostgresRunStore> {
  const { openPostgresRunStore } = await withPostgres();
  return openPostgresRunStore({
    ...{ url, shown, schema: toSchemaName(space), clock, worker: `worker-${process.pid}` },
    scenarioDir: (name) => {
      const dir = join(home.project, 'scenarios', name);
      return existsSync(join(dir, 'scenario.yaml')) ? dir : undefined;
    },
    onNotice: (detail) => tell({ type: 'state', status: 'notice', detail }),
  });
}

/** Opens a home other than that of this project; the caller closes it. */
export async function openOther({ url, shown, space }: StoreAddress): Promise<PostgresRunStore> {
  const { openPostgresRunStore } = await withPostgres();
  return openPostgresRunStore({ url, shown, schema: toSchemaName(space), clock, worker: `worker-${process.pid}` });
}

function withPostgres(): Promise<typeof import('../adapters/postgres/postgres-run-store.ts')> {
  const load = () => import('../adapters/postgres/postgres-run-store.ts');
  return optionalPackage('A store in PostgreSQL', 'pg@8', load);
}

/** Contract: `usage` while older programs are connected. */
export async function migrateStoreAt({ url, shown, space }: StoreAddress): Promise<Migration> {
  return (await withPostgres()).migrateStore({ url, shown, schema: toSchemaName(space) });
}

/** Keeps the tables apart from those of a queue with the same address. */
function toSchemaName(space: string): string {
  return `${space}_runs`;
}

/** Called at the end of a command: sends what was written by path to the store, and closes the connections. */
export async function closeStores(): Promise<void> {
  const stores = await Promise.allSettled(opened.values());
  opened.clear();
  for (const store of stores) if (store.status === 'fulfilled') await store.value.close();
}

export function openDrafts(): Drafts {
  const files = openFileDrafts();
  if (!usesStore()) return files;
  return {
    of: (dir, who) => withRefresh(dir, () => files.of(dir, who)),
    marks: (dir, who) => withRefresh(dir, () => files.marks(dir, who)),
    change: (dir, who, next) => withRefresh(dir, () => files.change(dir, who, next)),
    mark: (dir, who, set) => withRefresh(dir, () => files.mark(dir, who, set)),
  };
}

/** Fetches what other machines have written before the work, and sends its changes after it. */
async function withRefresh<Result>(dir: string, work: () => Promise<Result>): Promise<Result> {
  for (const store of opened.values()) await (await store).open(dir);
  const result = await work();
  for (const store of opened.values()) await (await store).flush(dir);
  return result;
}

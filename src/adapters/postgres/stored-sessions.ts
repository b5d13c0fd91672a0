/** People's sessions in the store: rows that are no runs. A folder on this machine is a working copy of one process. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Artifacts } from '../../ports/artifacts.ts';
import type { Clock, SessionFolder, SessionStore } from '../../ports/run-store.ts';
import type { Journal } from '../../ports/journal.ts';
import type { SessionBody } from '../../run/session-event.ts';
import { openShapedJournal } from '../files/file-journal.ts';
import { createSessionPlaces, SESSION_SHAPE } from '../files/run-folder.ts';
import type { Database } from './database.ts';
import { insertRow, listIds } from './new-row.ts';
import { openStoredRun, type StoredRun } from './stored-run.ts';

/** Cannot clash with a run, because no run id contains a slash. */
const PREFIX = 'session/';

export type StoredSessionsOptions = {
  clock: Clock;
  worker: string;
  /** This process's folder for what was read from the server of an era. */
  root: (era: number) => Promise<string>;
  /** Fetches the files of a run; undefined when there is none of that id. */
  openRun: (id: string) => Promise<{ dir: string } | undefined>;
  /** Returns the local path of a run's folder, fetched or not; for a removed run the path does not exist. */
  dirOf: (id: string) => Promise<string>;
};

export type StoredSessions = { sessions: SessionStore; flush: () => Promise<void> };

export function openStoredSessions(database: Database, around: StoredSessionsOptions): StoredSessions {
  const { ask } = database;
  const opened = new Map<string, { era: number; stored: StoredRun }>();
  const at = async (id: string): Promise<SessionFolder> => {
    const era = database.era();
    const dir = join(await around.root(era), 'sessions', id);
    const statements = database.boundTo(era);
    const found = { id: PREFIX + id, scenario: '', dir };
    const stored =
      opened.get(dir)?.stored ?? openStoredRun(found, { ...around, statements, scenarioDir: () => undefined });
    opened.set(dir, { era, stored });
    return toSessionFolder(id, stored, around);
  };
  const whole = async (id: string): Promise<SessionFolder> => {
    const folder = await at(id);
    await opened.get(folder.dir)?.stored.hydrate();
    for (const name of ['workspace', 'uploads']) await mkdir(join(folder.dir, name), { recursive: true });
    return folder;
  };
  const ids = async (): Promise<string[]> => (await listIds(ask, PREFIX, 'length > 0')).toReversed();
  return {
    sessions: {
      ...createSessionPlaces({ claim: (id) => insertRow(ask, { id: PREFIX + id, scenario: '' }), ids, open: whole }),
      list: async () => Promise.all((await ids()).map(at)),
    },
    flush: async () => {
      const now = [...opened.values()].filter(({ era }) => era === database.era());
      for (const { stored } of now) await stored.flush();
    },
  };
}

function toSessionFolder(
  id: string,
  { folder, events, files, withFiles }: StoredRun,
  around: StoredSessionsOptions,
): SessionFolder {
  const { scenario: _none, ...rest } = folder;
  const journal = withFiles(openShapedJournal(folder.dir, SESSION_SHAPE, { clock: around.clock, shared: events }));
  const runOf = async (): Promise<string | undefined> => {
    const [first] = await journal.read();
    return first?.body.type === 'session.started' ? first.body.run?.id : undefined;
  };
  const artifacts: Artifacts = {
    ...folder.artifacts,
    begin: async (step, target, seed) => {
      const run = await runOf();
      // Fetches what has happened in the run since the previous turn.
      if (run !== undefined) await around.openRun(run);
      const attempt = await folder.artifacts.begin(step, target, seed);
      // Sends a tool's changes before its answer counts, so that a process that continues the turn does not repeat it.
      const remember = (what: string, value: unknown) => files.push().then(() => attempt.remember(what, value));
      return { ...attempt, remember };
    },
  };
  return { ...rest, id, artifacts, journal: placingRun(journal, around) };
}

/** A session's run lies elsewhere on each machine, so the path in the row is not trusted. */
function placingRun(journal: Journal<SessionBody>, { dirOf }: StoredSessionsOptions): Journal<SessionBody> {
  return {
    ...journal,
    read: async (after) => {
      const events = await journal.read(after);
      return Promise.all(
        events.map(async (event) => {
          const { body } = event;
          if (body.type !== 'session.started' || body.run === undefined) return event;
          const dir = await dirOf(body.run.id);
          return { ...event, body: { ...body, run: { ...body.run, dir } } };
        }),
      );
    },
  };
}

/** One run of a store: its folder is a working copy, and everything that others rely on is stored before it is used. */
import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock, RunFolder, Transcripts } from '../../ports/run-store.ts';
import type { Journal } from '../../ports/journal.ts';
import type { MirroredNumbers } from '../../disk/numbered-files.ts';
import { openRunFolder } from '../files/run-folder.ts';
import type { FoundRun } from '../files/find-runs.ts';
import type { Statements } from './database.ts';
import { openStoredArtifacts } from './stored-artifacts.ts';
import { openStoredFiles, type StoredFiles } from './stored-files.ts';
import { openStoredNumbers } from './stored-numbers.ts';
import { openStoredShared } from './stored-shared.ts';

export type StoredRunOptions = {
  statements: Statements;
  clock: Clock;
  worker: string;
  /** Where the project has the scenario itself, which takes precedence over the frozen one. */
  scenarioDir: (name: string) => string | undefined;
};

export type StoredRun = {
  folder: RunFolder;
  files: StoredFiles;
  events: MirroredNumbers;
  /** Wraps a journal of the same folder, so that files are sent before an event that names them. */
  withFiles: <Body>(journal: Journal<Body>) => Journal<Body>;
  /** From now on the working copy holds every file of the run, for readers that open files by path. */
  hydrate: () => Promise<void>;
  /** Sends what was written by path. */
  flush: () => Promise<void>;
};

/** `scenario` is empty for a row that is no run. */
export function openStoredRun(
  found: FoundRun,
  { statements, clock, worker, scenarioDir }: StoredRunOptions,
): StoredRun {
  const { id: run, dir, scenario } = found;
  const files = openStoredFiles(statements, run, dir);
  const isRun = scenario !== '';
  const shared = {
    events: openStoredNumbers(statements, { run, book: 'events', dir, isRun }),
    spend: openStoredNumbers(statements, { run, book: 'spend', dir }),
  };
  const local = openRunFolder(found, { clock, worker, shared });
  let isWhole = false;

  const withFiles = <Body>(journal: Journal<Body>): Journal<Body> => ({
    ...journal,
    read: async (after) => {
      const events = await journal.read(after);
      // Files are sent before the event that names them, so they are in the store by now.
      if (isWhole && events.length > 0) await files.pull();
      return events;
    },
    append: async (body, actor, expectedLength) => {
      await files.push();
      return journal.append(body, actor, expectedLength);
    },
  });
  const folder: RunFolder = {
    ...local,
    journal: withFiles(local.journal),
    artifacts: openStoredArtifacts(local.artifacts, { ask: statements.ask, files, run, dir }),
    transcripts: storedTranscripts(local.transcripts, files),
    shared: openStoredShared(statements, run),
    around: { dir: scenarioDir(scenario), labels: openStoredShared(statements, `scenario/${scenario}`) },
    ...storedReads(local, files, () => isWhole),
  };
  return {
    ...{ folder, files, events: shared.events, withFiles },
    hydrate: async () => {
      await mkdir(dir, { recursive: true });
      await shared.events.refresh();
      await files.pull();
      isWhole = true;
      if (isRun && scenarioDir(scenario) === undefined) await placeScenario(dir);
    },
    flush: () => files.push(),
  };
}

function storedReads(
  local: RunFolder,
  files: StoredFiles,
  isWhole: () => boolean,
): Pick<RunFolder, 'write' | 'writeOnce' | 'read' | 'list'> {
  return {
    write: async (path, content) => {
      await local.write(path, content);
      await files.push(path);
    },
    writeOnce: async (path, content) => {
      await local.writeOnce(path, content);
      // When another process has sent its version meanwhile, this fetches it.
      await files.push(path);
      return (await local.read(path)) ?? content;
    },
    read: async (path) => {
      await (isWhole() ? files.pull() : files.pullOne(path));
      return local.read(path);
    },
    list: (below) => files.pull().then(() => local.list(below)),
  };
}

function storedTranscripts(local: Transcripts, files: StoredFiles): Transcripts {
  const pulled = <Result>(read: () => Promise<Result>): Promise<Result> => files.pull().then(read);
  return {
    read: (agent) => pulled(() => local.read(agent)),
    stored: (agent) => pulled(() => local.stored(agent)),
    calls: (agent) => pulled(() => local.calls(agent)),
    publish: async (agent, entries) => {
      await pulled(() => local.publish(agent, entries));
      await files.push(`transcripts/${agent}.jsonl`);
    },
    // Recorded for people only, so it is sent with the next event.
    record: (agent, calls) => local.record(agent, calls),
    images: {
      keep: async (data) => {
        const image = await local.images.keep(data);
        await files.push(`transcripts/images/${image.sha256}`);
        return image;
      },
      load: (name) => pulled(() => local.images.load(name)),
    },
  };
}

/** Puts the frozen scenario where the scenario's folder is looked for. */
async function placeScenario(dir: string): Promise<void> {
  const around = resolve(dir, '../..');
  if (existsSync(join(around, 'scenario.yaml')) || !existsSync(join(dir, 'scenario/scenario.yaml'))) return;
  await cp(join(dir, 'scenario'), around, { recursive: true, force: false });
}

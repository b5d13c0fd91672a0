/** The run store of a plugin: events and spending are in its books, and the project's run folders mirror them. */
import { basename, dirname, join } from 'node:path';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { makeFolders } from '../../disk/confine.ts';
import { toNumberedName, readNumberedFiles, type MirroredNumbers } from '../../disk/numbered-files.ts';
import { HarnessError, describeError } from '../../errors.ts';
import type { BatchStore } from '../../ports/batches.ts';
import type { StoreLines } from '../../ports/plugins/plugins.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { openFileBatches } from '../files/file-batches.ts';
import { openFileRunStore, type FileRunStoreOptions } from '../files/file-run-store.ts';
import type { FoundRun } from '../files/find-runs.ts';
import { followNumbers, type NumberedLine } from '../files/mirrored-numbered-files.ts';
import { readLedgerFiles } from '../files/spend-pack.ts';

export type PluginStoreSetup = Omit<FileRunStoreOptions, 'sharedOf'> & {
  project: string;
  /** Loads the plugin's code when a run is opened. */
  load: () => Promise<{ lines: StoreLines; fault: (error: unknown) => Error }>;
};

export type PluginRunStore = { store: RunStore; batches: BatchStore };

type BookName = 'events' | 'spend';

export function openPluginStore({ project, load, ...files }: PluginStoreSetup): PluginRunStore {
  /** By folder: a folder that this process has compared with its book is not compared again. */
  const books = new Map<string, MirroredNumbers>();
  const numbersOf = (dir: string, name: string, book: BookName): MirroredNumbers => {
    const folder = join(dir, book);
    const found =
      books.get(folder) ?? followBook(dir, { name: `${name}/${book}`, book, call: (work) => callPlugin(load, work) });
    books.set(folder, found);
    return found;
  };
  const sharedOf = (run: FoundRun) => ({
    events: numbersOf(run.dir, getRunName(run), 'events'),
    spend: numbersOf(run.dir, getRunName(run), 'spend'),
  });
  const store = openFileRunStore({ ...files, sharedOf });
  const forget = async (dir: string, name: string): Promise<void> => {
    for (const book of ['events', 'spend']) {
      books.delete(join(dir, book));
      await callPlugin(load, (lines) => lines.remove(`${name}/${book}`));
    }
  };
  const batches = openFileBatches(project, (dir) => numbersOf(dir, `batches/${basename(dir)}`, 'spend'));
  return {
    store: {
      ...store,
      archive: async (run, about) => {
        const { events, spend } = sharedOf(run);
        for (const numbers of [events, spend]) await numbers.refresh();
        return store.archive(run, about);
      },
      remove: async (run) => {
        await store.remove(run);
        await forget(run.dir, getRunName({ id: basename(run.dir), scenario: basename(dirname(dirname(run.dir))) }));
      },
    },
    batches: {
      ...batches,
      remove: async (id) => {
        await batches.remove(id);
        await forget(join(project, 'batches', id), `batches/${id}`);
      },
    },
  };
}

function getRunName({ scenario, id }: Pick<FoundRun, 'scenario' | 'id'>): string {
  return `${scenario}/${id}`;
}

type CallStore = <Value>(work: (lines: StoreLines) => Value | Promise<Value>) => Promise<Value>;

/** An error of the plugin may be temporary, as with any store. */
async function callPlugin<Value>(
  load: PluginStoreSetup['load'],
  work: (lines: StoreLines) => Value | Promise<Value>,
): Promise<Value> {
  const { lines, fault } = await load();
  try {
    return await work(lines);
  } catch (error) {
    throw new HarnessError('infrastructure', describeError(fault(error)), { retryable: true, cause: error });
  }
}

function followBook(
  dir: string,
  { name, book, call }: { name: string; book: BookName; call: CallStore },
): MirroredNumbers {
  const folder = join(dir, book);
  const append = (seq: number, body: string): Promise<boolean> => call((lines) => lines.append(name, seq, body));
  const from = async (seq: number): Promise<NumberedLine[]> =>
    (await call((lines) => lines.read(name, seq))).map((body, index) => ({ seq: seq + index, body }));
  return followNumbers(folder, {
    from,
    append,
    // The folder has files that the store lacks: the project had no store before, or the run is a fork.
    adopt: async (lines) => {
      const texts = await textsIn(folder, book);
      if (book === 'events') refuseParted(folder, texts, lines);
      for (const [seq, text] of texts.entries()) if (seq >= lines.length) await append(seq, text);
    },
    write: async (path, body) => {
      await makeFolders(dir, folder);
      await atomicWrite(path, body);
    },
  });
}

async function textsIn(folder: string, book: BookName): Promise<string[]> {
  const files = book === 'events' ? await readNumberedFiles(folder, 0) : (await readLedgerFiles(folder, 0)).texts;
  return files.map(({ text }) => text);
}

/** Throws when the run was continued in its folder alone and also in the store. */
function refuseParted(folder: string, texts: readonly string[], lines: readonly NumberedLine[]): void {
  const parted = lines.find(({ seq, body }) => texts[seq] !== undefined && texts[seq] !== body);
  if (parted === undefined) return;
  const path = join(folder, toNumberedName(parted.seq));
  const message = `${path} is not what the store has under that number: the run was carried on without its store. Move ${folder} away if the store is right: its events are written again.`;
  throw new HarnessError('data_corrupt', message, { details: { path } });
}

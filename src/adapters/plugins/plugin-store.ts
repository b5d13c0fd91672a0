/** The run store of a plugin: events and money are in its books, the run folders of the project follow them. */
import { basename, dirname, join } from 'node:path';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { makeFolders } from '../../disk/confine.ts';
import { numberedName, readNumbered, type SharedNumbers } from '../../disk/numbered-files.ts';
import { HarnessError, messageOf } from '../../errors.ts';
import type { BatchStore } from '../../ports/batches.ts';
import type { StoreLines } from '../../ports/plugins/plugins.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { openFileBatches } from '../files/file-batches.ts';
import { openFileRunStore, type FileRunStoreOptions } from '../files/file-run-store.ts';
import type { FoundRun } from '../files/find-runs.ts';
import { followNumbers, type NumberedLine } from '../files/followed-numbers.ts';
import { readLedgerFiles } from '../files/spend-pack.ts';

export type PluginStoreSetup = Omit<FileRunStoreOptions, 'sharedOf'> & {
  project: string;
  /** Loads the code of the plugin when a run is looked at. */
  load: () => Promise<{ lines: StoreLines; fault: (error: unknown) => Error }>;
};

export type PluginRunStore = { store: RunStore; batches: BatchStore };

type Book = 'events' | 'spend';

export function openPluginStore({ project, load, ...files }: PluginStoreSetup): PluginRunStore {
  /** By folder: what a process has compared once with its book is not compared again. */
  const books = new Map<string, SharedNumbers>();
  const numbersOf = (dir: string, name: string, book: Book): SharedNumbers => {
    const folder = join(dir, book);
    const found =
      books.get(folder) ?? follow(dir, { name: `${name}/${book}`, book, call: (work) => called(load, work) });
    books.set(folder, found);
    return found;
  };
  const sharedOf = (run: FoundRun) => ({
    events: numbersOf(run.dir, nameOf(run), 'events'),
    spend: numbersOf(run.dir, nameOf(run), 'spend'),
  });
  const store = openFileRunStore({ ...files, sharedOf });
  const forget = async (dir: string, name: string): Promise<void> => {
    for (const book of ['events', 'spend']) {
      books.delete(join(dir, book));
      await called(load, (lines) => lines.remove(`${name}/${book}`));
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
        await forget(run.dir, nameOf({ id: basename(run.dir), scenario: basename(dirname(dirname(run.dir))) }));
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

function nameOf({ scenario, id }: Pick<FoundRun, 'scenario' | 'id'>): string {
  return `${scenario}/${id}`;
}

type Call = <Value>(work: (lines: StoreLines) => Value | Promise<Value>) => Promise<Value>;

/** What the plugin throws may be over in a moment, as with any store. */
async function called<Value>(
  load: PluginStoreSetup['load'],
  work: (lines: StoreLines) => Value | Promise<Value>,
): Promise<Value> {
  const { lines, fault } = await load();
  try {
    return await work(lines);
  } catch (error) {
    throw new HarnessError('infrastructure', messageOf(fault(error)), { retryable: true, cause: error });
  }
}

function follow(dir: string, { name, book, call }: { name: string; book: Book; call: Call }): SharedNumbers {
  const folder = join(dir, book);
  const append = (seq: number, body: string): Promise<boolean> => call((lines) => lines.append(name, seq, body));
  const from = async (seq: number): Promise<NumberedLine[]> =>
    (await call((lines) => lines.read(name, seq))).map((body, index) => ({ seq: seq + index, body }));
  return followNumbers(folder, {
    from,
    append,
    // Files that the store does not have: of a project that had none before, or of a fork.
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

async function textsIn(folder: string, book: Book): Promise<string[]> {
  const files = book === 'events' ? await readNumbered(folder, 0) : (await readLedgerFiles(folder, 0)).texts;
  return files.map(({ text }) => text);
}

/** Somebody carried the run on in its folder alone, and somebody else in the store. */
function refuseParted(folder: string, texts: readonly string[], lines: readonly NumberedLine[]): void {
  const parted = lines.find(({ seq, body }) => texts[seq] !== undefined && texts[seq] !== body);
  if (parted === undefined) return;
  const path = join(folder, numberedName(parted.seq));
  const message = `${path} is not what the store has under that number: the run was carried on without its store. Move ${folder} away if the store is right: its events are written again.`;
  throw new HarnessError('data_corrupt', message, { details: { path } });
}

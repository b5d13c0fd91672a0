/** Stores what an evaluation has finished in one file, a line each, and finds it again after a kill. */
import { createReadStream } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../disk/atomic-write.ts';
import { createBatcher } from '../../disk/serial-queue.ts';
import type { TrialMemory } from '../../evaluation/trial/recall-trial.ts';
import { parseJson } from '../../parse-json.ts';

/** A name without tabs, in one byte a character, as its line begins. */
const toKey = encodeURIComponent;

/** Where the JSON of a line lies in the file. */
type Place = { start: number; bytes: number };

const FILE = 'finished.jsonl';
const [TAB, LINE_END] = [0x09, 0x0a];
/** The lines that one sync of the disk makes durable together. */
const MOST_TOGETHER = 200;
/** A trial that is over delays no other one, and each sync changes threads twice. */
const PAUSE_MS = 10;
/** Written at once: to hold all of it twice would take too much. */
const MOST_CHARS = 64 * 1024;

type NamedText = { name: string; text: string };

/** Contract: one process at a time. A line that a kill cut off is taken away, and what it said is done again. */
export async function openFinishedWork(dir: string): Promise<TrialMemory & { close: () => Promise<void> }> {
  const path = join(dir, FILE);
  const hasOlder = (await readdir(dir)).some((name) => name !== FILE);
  const file = await open(path, 'a+');
  const { places, size } = await indexLines(path);
  await file.truncate(size);
  await syncFolder(dir);
  let end = size;
  const append = async (batch: readonly { item: NamedText }[]): Promise<void> => {
    const written = new Map<string, Place>();
    let [at, waiting] = [end, ''];
    try {
      for (const { name, text } of batch.map(({ item }) => item)) {
        const head = `${toKey(name)}\t`;
        const bytes = Buffer.byteLength(text);
        written.set(toKey(name), { start: at + head.length, bytes });
        at += head.length + bytes + 1;
        waiting += `${head}${text}\n`;
        if (waiting.length < MOST_CHARS) continue;
        await file.writeFile(waiting);
        waiting = '';
      }
      await file.writeFile(waiting);
      await file.datasync();
    } catch (error) {
      await file.truncate(end).catch(() => undefined);
      throw error;
    }
    end = at;
    for (const [key, place] of written) places.set(key, place);
  };
  const remember = createBatcher(MOST_TOGETHER, append, PAUSE_MS);
  return {
    recall: async (name) => {
      const place = places.get(toKey(name));
      if (place === undefined) {
        // Before 28 November 2026 each piece of finished work had a file of its own.
        const older = hasOlder ? await readFile(join(dir, `${name}.json`), 'utf8').catch(() => '') : '';
        return parseJson(older);
      }
      const { buffer } = await file.read(Buffer.alloc(place.bytes), 0, place.bytes, place.start);
      return parseJson(buffer.toString('utf8'));
    },
    remember: (name, value) => remember({ name, text: JSON.stringify(value) }),
    close: () => file.close(),
  };
}

/** Finds the place of each name's last line; `size` is the end of the last line that is whole. */
async function indexLines(path: string): Promise<{ places: Map<string, Place>; size: number }> {
  const places = new Map<string, Place>();
  let [size, at, key] = [0, 0, ''];
  let start: number | undefined;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(start === undefined ? TAB : LINE_END, from);
      const until = end === -1 ? chunk.length : end;
      if (start === undefined) key += chunk.toString('latin1', from, until);
      if (end !== -1 && start === undefined) start = at + end + 1;
      else if (end !== -1 && start !== undefined) {
        places.set(key, { start, bytes: at + end - start });
        [size, key, start] = [at + end + 1, '', undefined];
      }
      from = until + 1;
    }
    at += chunk.length;
  }
  return { places, size };
}

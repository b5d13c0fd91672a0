/** What an agent says while it works, for people who look on; the truth is what is published at the end. */
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../disk/disk-fault.ts';
import type { Attempt } from '../../ports/artifacts.ts';

const FILE = 'transcript.jsonl';

export type LiveTranscript = {
  /** The agent does not wait for its onlookers. Contract: throws what an earlier write failed with. */
  add: (entry: unknown) => void;
  /** Resolves when all of it is written. */
  written: () => Promise<void>;
};

/** `wip/<step>@<worker>/transcript.jsonl`, emptied at each try. */
export async function openLive({ dir, step }: Attempt): Promise<LiveTranscript> {
  const path = join(dir, FILE);
  const doing = `Writing ${FILE} of ${step}`;
  const live: { lines: string; fault?: { cause: unknown } } = { lines: '' };
  let writing: Promise<void> | undefined;
  await onDisk(doing, () => writeFile(path, ''));

  const writeAll = async (): Promise<void> => {
    while (live.lines !== '' && live.fault === undefined) {
      const text = live.lines;
      live.lines = '';
      await onDisk(doing, () => appendFile(path, text)).catch((cause: unknown) => {
        live.fault = { cause };
      });
    }
    writing = undefined;
  };
  const refuse = (): void => {
    if (live.fault !== undefined) throw live.fault.cause;
  };
  return {
    add: (entry) => {
      refuse();
      live.lines += `${JSON.stringify(entry)}\n`;
      writing ??= writeAll();
    },
    written: async () => {
      await writing;
      refuse();
    },
  };
}

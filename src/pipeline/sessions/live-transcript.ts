/** Writes an agent's entries while it works, for people who watch; the published transcript is the source of truth. */
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../disk/disk-fault.ts';
import type { Attempt } from '../../ports/artifacts.ts';

const FILE = 'transcript.jsonl';

export type LiveTranscript = {
  /** Returns at once, so that the agent never waits. Contract: throws the error of an earlier failed write. */
  add: (entry: unknown) => void;
  /** Resolves when all entries are written. */
  written: () => Promise<void>;
};

/** Opens `wip/<step>@<worker>/transcript.jsonl`, emptied at each try. */
export async function openLiveTranscript({ dir, step }: Attempt): Promise<LiveTranscript> {
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

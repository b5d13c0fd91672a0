/** Writes an agent's entries while it works, for people who watch; the published transcript is the source of truth. */
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../disk/disk-fault.ts';
import { createBatcher } from '../../disk/serial-queue.ts';
import type { Attempt } from '../../ports/artifacts.ts';

const FILE = 'transcript.jsonl';
const MOST_AT_ONCE = 1000;

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
  let fault: { cause: unknown } | undefined;
  let last: Promise<void> | undefined;
  await onDisk(doing, () => writeFile(path, ''));

  const write = createBatcher<string>(MOST_AT_ONCE, (lines) => {
    const text = lines.map(({ item }) => item).join('');
    return onDisk(doing, () => appendFile(path, text));
  });
  const refuse = (): void => {
    if (fault !== undefined) throw fault.cause;
  };
  return {
    add: (entry) => {
      refuse();
      last = write(`${JSON.stringify(entry)}\n`).catch((cause: unknown) => void (fault ??= { cause }));
    },
    written: async () => {
      await last;
      refuse();
    },
  };
}

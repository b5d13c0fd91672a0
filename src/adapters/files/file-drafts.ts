/** Drafts and marks on disk: `drafts/<reviewer>.json` of the run, a folder that no agent is given. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { HarnessError, ignoreHarnessError } from '../../errors.ts';
import { getOrCreate } from '../../get-or-create.ts';
import type { Drafts } from '../../ports/drafts.ts';
import { atomicWrite, sweepTemporaryFiles } from '../../disk/atomic-write.ts';
import { makeFolders, refuseLinks } from '../../disk/confine.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { createSerialQueue } from '../../disk/serial-queue.ts';
import { sha256 } from '../../disk/sha256.ts';

const DraftFile = z.strictObject({
  version: z.literal(1),
  /** For a person who opens the file; the file is found by its name. */
  who: z.string(),
  written: z.array(z.strictObject({ gate: z.string(), digest: z.string(), field: z.string(), text: z.string() })),
  /** The marks that this reviewer set as reviewed. */
  reviewed: z.array(z.string()).optional(),
});
type DraftFile = z.infer<typeof DraftFile>;

/** The most reviewers with drafts in one run, and the most drafts of each. */
const MOST_FILES = 200;
const MOST_CHARS = 1_500_000;
const MOST_MARKS = 3000;

export function openFileDrafts(): Drafts {
  const turns = new Map<string, ReturnType<typeof createSerialQueue>>();
  const change = (
    runDir: string,
    who: string,
    next: (now: DraftFile) => Promise<DraftFile | undefined>,
  ): Promise<void> =>
    onDisk('Keeping a draft', () => {
      const path = getDraftPath(runDir, who);
      const inTurn = getOrCreate(turns, path, createSerialQueue);
      return inTurn(async () => {
        const file = await next((await readDraftFile(runDir, path)) ?? { version: 1, who, written: [] });
        if (file !== undefined) await writeDraftFile(runDir, path, file);
      });
    });
  const fileOf = (runDir: string, who: string) =>
    onDisk('Reading drafts', () => readDraftFile(runDir, getDraftPath(runDir, who)));
  return {
    of: async (runDir, who) => (await fileOf(runDir, who))?.written ?? [],
    marks: async (runDir, who) => (await fileOf(runDir, who))?.reviewed ?? [],
    change: (runDir, who, next) =>
      change(runDir, who, async (file) => {
        const written = await next(file.written);
        return written && { ...file, written: [...written] };
      }),
    mark: (runDir, who, { mark, isSet }) =>
      change(runDir, who, async (file) => {
        const others = (file.reviewed ?? []).filter((one) => one !== mark);
        return { ...file, reviewed: [...others, ...(isSet ? [mark] : [])].slice(-MOST_MARKS) };
      }),
  };
}

/** Two spellings of one name give the same file; the digest allows characters that a file name may not contain. */
function getDraftPath(runDir: string, who: string): string {
  return join(runDir, 'drafts', `${sha256(who.normalize('NFKC').toLowerCase()).slice(0, 24)}.json`);
}

async function readDraftFile(runDir: string, path: string): Promise<DraftFile | undefined> {
  try {
    await refuseLinks(runDir, path);
    const text = await valueOnErrno('ENOENT', undefined, readFile(path, 'utf8'));
    return text === undefined ? undefined : parseFile(DraftFile, text, path);
  } catch (error) {
    return ignoreHarnessError(error, 'data_corrupt');
  }
}

async function writeDraftFile(runDir: string, path: string, { reviewed = [], ...file }: DraftFile): Promise<void> {
  await refuseLinks(runDir, path);
  if (file.written.length + reviewed.length === 0) return rm(path, { force: true });
  const text = `${JSON.stringify(reviewed.length === 0 ? file : { ...file, reviewed }, undefined, 1)}\n`;
  const folder = dirname(path);
  await makeFolders(runDir, folder);
  await sweepTemporaryFiles(folder);
  const names = await readdir(folder);
  const room =
    text.length <= MOST_CHARS && (names.length < MOST_FILES || names.includes(path.slice(folder.length + 1)));
  if (!room)
    throw new HarnessError('usage', 'There is no room for more unsent comments at this run: send or drop some.');
  return atomicWrite(path, text);
}

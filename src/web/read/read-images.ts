/** The images of an agent's transcript: which ones a page may show, why not the others, and the bytes of one. */
import { sha256 } from '../../disk/sha256.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError, isHarnessError, describeError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Entry } from '../../transcript/entry.ts';
import { listImageBlocks } from '../../transcript/images.ts';
import type { ImageBlock } from '../../transcript/message.ts';
import { isOfType, isShownType } from './image-types.ts';

/** The folder of a run or of a session. */
type ImageFolder = Pick<RunFolder, 'dir' | 'transcripts'>;

/** Reasons why images cannot be shown; an image that can be shown has no entry. */
export type PictureFaults = ReadonlyMap<ImageBlock, string>;

/** Number of images that one page checks; the others are checked on request. */
const MOST_CHECKED = 100;

/** Returns the hash by which a page requests an image, wherever its bytes are stored. */
export function imageHash({ source }: ImageBlock): string {
  if (source.type === 'stored') return source.sha256;
  return sha256(Buffer.from(source.data, 'base64'));
}

export async function pictureFaults(run: ImageFolder, entries: readonly Entry[]): Promise<PictureFaults> {
  const checked = new Map<string, string | undefined>();
  const faults = new Map<ImageBlock, string>();
  for (const block of listImages(entries)) {
    const key = `${imageHash(block)} ${block.source.media_type}`;
    if (!checked.has(key)) {
      if (checked.size >= MOST_CHECKED) break;
      checked.set(key, await findImageFault(run, block));
    }
    const fault = checked.get(key);
    if (fault !== undefined) faults.set(block, fault);
  }
  return faults;
}

async function findImageFault(run: ImageFolder, block: ImageBlock): Promise<string | undefined> {
  try {
    await loadImageBytes(run, block);
    return undefined;
  } catch (error) {
    if (isHarnessError(error)) return describeError(error);
    throw error;
  }
}

export type Picture = { bytes: Uint8Array<ArrayBuffer>; mediaType: string; hash: string };

/** Contract: `not_found` for an image that this agent's transcript does not name or a page may not show. */
export type ReadPicture = (run: ImageFolder, agent: string, hash: string) => Promise<Picture>;

/** Number of transcripts whose images are cached, since a page requests many images of one transcript at once. */
const MOST_KNOWN = 8;

export function createReadPicture(): ReadPicture {
  const known = new Map<string, { mark: string; blocks: Promise<ReadonlyMap<string, ImageBlock>> }>();
  const blocksOf = async (run: ImageFolder, agent: string) => {
    const path = join(run.dir, `transcripts/${agent}.jsonl`);
    const found = await stat(path).catch(() => undefined);
    const mark = `${found?.size} ${found?.mtimeMs}`;
    const cached = known.get(path);
    if (cached?.mark === mark) return cached.blocks;
    const blocks = run.transcripts.read(agent).then(selectShownImages);
    known.delete(path);
    const [oldest] = known.size >= MOST_KNOWN ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    known.set(path, { mark, blocks });
    // A failed read is not cached.
    blocks.catch(() => known.delete(path));
    return blocks;
  };
  return async (run, agent, hash) => {
    const block = (await blocksOf(run, agent)).get(hash);
    if (block === undefined) throw new HarnessError('not_found', 'There is no such picture in this conversation.');
    return { bytes: await loadImageBytes(run, block), mediaType: block.source.media_type, hash };
  };
}

function selectShownImages(entries: readonly Entry[]): ReadonlyMap<string, ImageBlock> {
  const blocks = listImages(entries).filter(({ source }) => isShownType(source.media_type));
  return new Map(blocks.map((block) => [imageHash(block), block]));
}

/** Contract: `data_corrupt` for a missing or changed file, `not_found` for a file that is no picture. */
async function loadImageBytes(run: ImageFolder, { source }: ImageBlock): Promise<Uint8Array<ArrayBuffer>> {
  const type = source.media_type;
  if (!isShownType(type)) throw new HarnessError('not_found', `Images of type ${type} are not shown here.`);
  const data = source.type === 'stored' ? await run.transcripts.images.load(source.sha256) : source.data;
  const bytes = Buffer.from(data, 'base64');
  if (!isOfType(bytes, type)) throw new HarnessError('not_found', `The file is no ${type}, whatever it is called.`);
  return bytes;
}

function listImages(entries: readonly Entry[]): ImageBlock[] {
  return entries.flatMap((entry) => (entry.type === 'message' ? listImageBlocks(entry.message) : []));
}

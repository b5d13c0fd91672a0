/**
 * The vendor's agent toolset behind logical paths: read, write, edit, remove, rename, glob and grep, confined to the
 * agent's folders. Reading and writing are the vendor's; removing and renaming are in `search.ts`. Searching is
 * ours, because a replayed step must see the same bytes, and the vendor's results differ from machine to machine and
 * from run to run: newest first, cut at the newest 200, by ripgrep where it is installed. They also skip long lines, of
 * which a trace consists.
 */
import { betaEditTool, betaReadTool, betaWriteTool } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { chmod, readFile, open, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { z } from 'zod';
import { makeFolders } from '../../disk/confine.ts';
import { decodeText } from '../../disk/decode-text.ts';
import { isHarnessError } from '../../errors.ts';
import type { ToolHost, ToolAnswer } from '../../ports/tools/tool-host.ts';
import { formatInputFaults } from '../../ports/tools/input-faults.ts';
import { cutText } from '../anthropic/truncate-result.ts';
import {
  EditInput,
  readFileToolDefinitions,
  ReadInput,
  RemoveInput,
  RenameInput,
  SearchInput,
  WriteInput,
} from './schemas.ts';
import {
  checkMount,
  describeMounts,
  cleanPath,
  locatePath,
  locateWritable,
  FileToolError,
  displayPath,
  type OwnedMount,
  type ResolvedPath,
} from './mounts.ts';
import { removeFile, renameFile, listMountFiles, runSearch } from './search.ts';
import { IMAGE_HEAD_BYTES, MOST_IMAGE_BYTES, detectImageType, findImageFault } from '../../transcript/image-facts.ts';

export type FileToolsOptions = {
  /** The mount with the longest matching logical name is used; `physical` may be anywhere on disk. */
  mounts: readonly OwnedMount[];
  /** The longest result of one call (S3.9). */
  maxResultChars: number;
  /** The longest time of one glob or grep. */
  searchMs?: number;
};

type ToolContext = { mounts: readonly OwnedMount[]; maxResultChars: number; searchMs: number };
type ToolOutput = string | ImageFile;
type RunTool = (input: Record<string, unknown>, context: ToolContext, signal: AbortSignal) => Promise<ToolOutput>;

export function createFileTools({ mounts, maxResultChars, searchMs = 10_000 }: FileToolsOptions): ToolHost {
  const context = { mounts: mounts.map(checkMount), maxResultChars, searchMs };
  return {
    definitions: readFileToolDefinitions(),
    async call(name, input, signal) {
      signal.throwIfAborted();
      try {
        const run = TOOLS.get(name);
        if (run === undefined)
          throw new FileToolError(`no file tool has this name. There are: ${[...TOOLS.keys()].join(', ')}.`);
        const found = await run(input, context, signal);
        return typeof found === 'string' ? { content: found, is_error: false } : { ...found, is_error: false };
      } catch (error) {
        signal.throwIfAborted();
        return { content: `${name}: ${describeError(error)}`, is_error: true };
      }
    },
  };
}

const TOOLS: ReadonlyMap<string, RunTool> = new Map<string, RunTool>([
  ['read', runRead],
  ['write', async (input, { mounts }) => changeFile(betaWriteTool, parseInput(WriteInput, input), mounts)],
  ['edit', async (input, { mounts }) => changeFile(betaEditTool, parseInput(EditInput, input), mounts)],
  ['remove', async (input, { mounts }) => removeFile(parseInput(RemoveInput, input).file_path, mounts)],
  ['rename', async (input, { mounts }) => renameFile(parseInput(RenameInput, input), mounts)],
  ['glob', runGlob],
  ['grep', runGrep],
]);

async function runRead(input: Record<string, unknown>, { mounts, maxResultChars }: ToolContext): Promise<ToolOutput> {
  const { file_path, view_range } = parseInput(ReadInput, input);
  const place = await locatePath(file_path, mounts);
  const image = await readImage(place.real, displayPath(file_path));
  if (image !== undefined) return image;
  const given = await viaVendor(betaReadTool, view_range === undefined ? {} : { view_range }, place);
  const text = /[\0\uFFFD]/.test(given) ? await decodeOther(place.real, view_range, given) : given;
  if (text.includes('\0')) throw new FileToolError(`${displayPath(file_path)} is not a text file.`);
  if (text === '') return view_range === undefined ? '(the file is empty)' : '(there are no such lines)';
  const start = view_range?.[0] ?? 1;
  return cutText(text, maxResultChars, (wholeLines) =>
    wholeLines === 0
      ? `Line ${start} is longer than a result may be; grep shows the part around a match.`
      : `Read on with view_range [${start + wholeLines}, …].`,
  );
}

/** Decodes a file that is not UTF-8, as a source may be; returns `given` when no other encoding fits either. */
async function decodeOther(path: string, range: [number, number] | undefined, given: string): Promise<string> {
  const whole = decodeText(await readFile(path));
  if (whole === undefined || range === undefined) return whole ?? given;
  const [from, to] = range;
  return whole
    .split('\n')
    .slice(from - 1, to === -1 ? undefined : to)
    .join('\n');
}

type FileChange = z.infer<typeof WriteInput> | z.infer<typeof EditInput>;

/** The vendor creates files for one user only, so they get the mode of the run's other files, by the umask. */
async function changeFile(make: VendorTool, input: FileChange, mounts: readonly OwnedMount[]): Promise<string> {
  const { file_path, ...change } = input;
  const place = await locateWritable(file_path, mounts);
  // The folder of a mount may be missing, but its parent must exist.
  await makeFolders(dirname(place.mount.physical), dirname(place.real)).catch(() => undefined);
  const result = await viaVendor(make, change, place);
  // A file of another user of the group keeps its mode, so a failure is ignored.
  await chmod(place.real, 0o666 & ~UMASK).catch(() => undefined);
  return logicalIn(result, place);
}

const UMASK = process.umask();

async function runGlob(input: Record<string, unknown>, context: ToolContext, signal: AbortSignal): Promise<string> {
  const { pattern, path = '' } = parseInput(SearchInput, input);
  if (isAbsolute(pattern) || pattern.split(/[\\/{},]/).includes('..')) {
    throw new FileToolError(`the pattern must be relative and without "..". ${describeMounts(context.mounts)}`);
  }
  const answer = await searchMounts({ kind: 'glob', pattern, path }, context, signal);
  const hint = pattern.includes('/') ? '' : ` (the pattern is relative to path: **/${pattern} looks in all folders)`;
  return answer === '' ? `no matches${hint}` : answer;
}

async function runGrep(input: Record<string, unknown>, context: ToolContext, signal: AbortSignal): Promise<string> {
  const { pattern, path = '' } = parseInput(SearchInput, input);
  const answer = await searchMounts({ kind: 'grep', pattern, path }, context, signal);
  return answer === '' ? 'no matches' : answer;
}

async function searchMounts(
  { kind, pattern, path }: { kind: 'glob' | 'grep'; pattern: string; path: string },
  { mounts, maxResultChars, searchMs }: ToolContext,
  signal: AbortSignal,
): Promise<string> {
  const files = await listMountFiles(path, mounts, signal);
  if (files.length === 0) return `no files under ${displayPath(path)}`;
  const folder = cleanPath(path, mounts);
  const subjects = files.map(({ logical, physical }) => ({
    name: nameUnder(folder, logical),
    shown: logical,
    physical,
  }));
  const maxChars = Math.max(1, maxResultChars - 500);
  const { lines, total, skipped } = await runSearch({ kind, pattern, maxChars, limitMs: searchMs }, subjects, signal);
  const notes = [
    ...(total > lines.length
      ? [`[cut: ${lines.length} of ${total} matches shown. Narrow the pattern or the path.]`]
      : []),
    ...(skipped.length > 0 ? [`[not searched, too large: ${skipped.length} files, first ${skipped[0] ?? ''}]`] : []),
  ];
  return [...lines, ...notes].join('\n');
}

/** The name that a glob pattern is matched with: relative to the folder, or the last part of a file's own path. */
function nameUnder(folder: string, logical: string): string {
  if (folder === logical) return logical.slice(logical.lastIndexOf('/') + 1);
  return folder === '' ? logical : logical.slice(folder.length + 1);
}

type VendorTool = typeof betaReadTool | typeof betaWriteTool | typeof betaEditTool;

/** The vendor checks the path once more; its errors become ours, without its name for the tool. */
async function viaVendor(make: VendorTool, input: Record<string, unknown>, place: ResolvedPath): Promise<string> {
  const tool = make({ workdir: place.mount.physical });
  try {
    const result = await tool.run({ ...input, file_path: place.real });
    return z.string().parse(result);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new FileToolError(logicalIn(error.message, place).replace(/^(read|write|edit): /, ''));
  }
}

/** A result must not contain a path of this machine, because transcripts are stored and compared at a replay. */
function logicalIn(text: string, { mount, logical, real }: ResolvedPath): string {
  return text.replaceAll(real, logical).replaceAll(mount.physical, mount.logical);
}

function parseInput<Schema extends z.ZodType>(schema: Schema, input: Record<string, unknown>): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new FileToolError(formatInputFaults(parsed.error));
}

/** Returns a refusal's text, but only the code of a file system error, whose message contains local paths. */
function describeError(error: unknown): string {
  if (error instanceof FileToolError) return error.message;
  if (isHarnessError(error)) throw error;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return `failed (${error.code}).`;
  throw error;
}

type ImageFile = Required<Pick<ToolAnswer, 'content' | 'images'>>;

/** Undefined for everything else, and for what is no file: the text tool has its own words for that. */
async function readImage(path: string, name: string): Promise<ImageFile | undefined> {
  const found = await stat(path).catch(() => undefined);
  // Reading a pipe would wait for a writer.
  if (found?.isFile() !== true) return undefined;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const head = Buffer.alloc(IMAGE_HEAD_BYTES);
    await file.read(head, 0, IMAGE_HEAD_BYTES, 0);
    const media_type = detectImageType(head);
    if (media_type === undefined) return undefined;
    if (found.size > MOST_IMAGE_BYTES)
      throw new FileToolError(`${name} is an image of ${found.size} bytes; at most ${MOST_IMAGE_BYTES} can be shown.`);
    const bytes = await file.readFile();
    const fault = findImageFault(bytes);
    if (fault !== undefined) throw new FileToolError(`${name} ${fault}.`);
    const source = { type: 'base64' as const, media_type, data: bytes.toString('base64') };
    return { content: `${name}: ${media_type}, ${bytes.length} bytes`, images: [{ type: 'image', source }] };
  } finally {
    await file.close();
  }
}

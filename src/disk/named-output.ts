/** Opens every file that a user names for output: it is created, or replaces a file of its own kind and no other. */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { describeError, HarnessError, usageError } from '../errors.ts';
import { atomicWrite, createExclusive } from './atomic-write.ts';
import { valueOnErrno } from './disk-fault.ts';

/** `isOwn` recognises a text that an earlier command wrote there; without it, no file is ever replaced. */
export type OutputKind = { called: string; isOwn?: (text: string) => boolean };

/** `flag` is what the user wrote before the path; `path` is absolute. No link may lead out of `project`. */
export type NamedOutput = { flag: string; path: string; project: string; kind: OutputKind };

export const JUNIT_FILE: OutputKind = {
  called: 'JUnit report',
  isOwn: (text) => /^\s*(?:<\?xml[^>]*>\s*)?<testsuites?[\s>]/.test(text),
};
export const SARIF_FILE: OutputKind = {
  called: 'SARIF report',
  isOwn: (text) => /^\s*\{\s*"\$schema":\s*"[^"]*sarif/.test(text),
};
export const PORT_FILE: OutputKind = { called: 'file with a port', isOwn: (text) => /^\d{1,5}\s*$/.test(text) };

/** Throws `usage` before anything is done or paid; nothing is written. */
export function refuseOutput(output: NamedOutput): void {
  const fault = findOutputFault(output);
  if (fault !== undefined) throw usageError(`${output.flag}: ${fault} Nothing was written: name another place.`);
}

/** Writes the file whole or not at all. The place is judged again, because hours may lie between the check and this. */
export async function writeOutput(output: NamedOutput, text: string): Promise<void> {
  const fault = findOutputFault(output);
  if (fault !== undefined)
    throw new HarnessError('infrastructure', `${output.flag}: ${fault} Nothing was written there.`);
  await createFolders(dirname(output.path));
  if (isExistingStream(output.path)) await writeFile(output.path, text);
  else await atomicWrite(existsSync(output.path) ? realpathSync(output.path) : output.path, text);
}

/** Creates a file and never replaces one. Resolves with its path. */
export async function writeNewFile(output: Omit<NamedOutput, 'kind'>, text: string): Promise<string> {
  const { path } = output;
  refuseOutput({ ...output, kind: { called: 'new file' } });
  await createFolders(dirname(path));
  if (isExistingStream(path)) await writeFile(path, text);
  else if (!(await createExclusive(path, text))) throw usageError(`${path} is there already: name another file.`);
  return path;
}

/** As `refuseOutput`, for a folder. */
export function refuseFolder({ flag, path, project }: Omit<NamedOutput, 'kind'>): void {
  const isFile = () => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const fault = findFolderFault(path, project) ?? (isFile() ? `${path} is a file.` : undefined);
  if (fault !== undefined) throw usageError(`${flag}: ${fault} Nothing was written: name another place.`);
}

/** Says in a sentence why the file cannot be written; undefined when it can. */
export function findOutputFault({ path, project, kind }: NamedOutput): string | undefined {
  return findFolderFault(path, project) ?? findContentFault(path, kind);
}

/** For a folder that is filled with new files: links and rights are judged, what it holds is not. */
export function findFolderFault(path: string, project: string): string | undefined {
  try {
    const nearest = findExistingAbove(path);
    if (!statSync(nearest).isDirectory()) return `${nearest} is no folder.`;
    if (leavesByLink(path, project)) return `${path} is a link, or behind one, that leads out of its place.`;
    if (!isExistingStream(path) && NO_PLACE.includes(statfsSync(nearest).type))
      return `${nearest} is no place for files.`;
    accessSync(existsSync(path) ? path : nearest, constants.W_OK);
    return undefined;
  } catch (error) {
    return `${path} cannot be written: ${describeError(error).replace(/\.?$/, '.')}`;
  }
}

function findContentFault(path: string, { called, isOwn }: OutputKind): string | undefined {
  if (!existsSync(path) || isExistingStream(path)) return undefined;
  const { size } = statSync(path);
  if (!statSync(path).isFile()) return `${path} is a folder.`;
  if (isOwn === undefined) return `${path} is there already.`;
  // An empty file, as mktemp makes it, has nothing to lose.
  if (size === 0 || (size <= MOST_BYTES && isOwn(readFileSync(path, 'utf8')))) return undefined;
  return `${path} is there already and is no ${called}.`;
}

/** A larger file is not read and counts as foreign. */
const MOST_BYTES = 256 * 1024 * 1024;

/** File system types of /proc and /sys, which the kernel makes and which hold no files. */
const NO_PLACE: readonly number[] = [0x9f_a0, 0x62_65_65_72];

/** A terminal, a pipe or /dev/null takes text and loses nothing. */
function isExistingStream(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isCharacterDevice() === true || found?.isFIFO() === true;
}

/**
 * Inside the project, every link on the way counts; elsewhere only the last one, because the folders above are the
 * user's own choice, such as /tmp on a Mac. A link to nothing leads nowhere that could be judged.
 */
function leavesByLink(path: string, project: string): boolean {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink && !existsSync(path)) return true;
  if (isLink && isExistingStream(path)) return false;
  const nearest = isLink ? path : findExistingAbove(path);
  const real = existsSync(path) ? realpathSync(path) : realpathSync(nearest);
  const root = realpathSync(project);
  return (isInside(project, path) || isInside(root, path) || isLink) && !isInside(root, real);
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function findExistingAbove(path: string): string {
  const parent = dirname(path);
  return existsSync(parent) || parent === path ? parent : findExistingAbove(parent);
}

/** Creates folders one at a time: with `recursive`, Node loops forever where none can be made, such as below /proc. */
async function createFolders(path: string): Promise<void> {
  if (existsSync(path)) return;
  await createFolders(dirname(path));
  await valueOnErrno('EEXIST', undefined, mkdir(path));
}

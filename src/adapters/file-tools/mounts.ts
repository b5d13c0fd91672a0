/** Maps a name that an agent uses to a folder on disk, and to the agent's rights there. */
import { resolvePath } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { HarnessError } from '../../errors.ts';

/** A folder (or a single file) that an agent sees under a name relative to the run. */
export type OwnedMount = {
  /** The name that the agent sees, such as `execution_outputs/iteration_2`. */
  logical: string;
  /** The absolute path in the folder of the live attempt. */
  physical: string;
  writable: boolean;
  /** Names the owner in the message that refuses a write: `the design belongs to Init`. */
  owner?: string;
};

/** A path that may be used: `real` is free of symbolic links. */
export type ResolvedPath = { mount: OwnedMount; logical: string; real: string };

/** An error that a tool answers with `is_error`; its message is for the model. */
export class FileToolError extends Error {
  override readonly name = 'Refusal';
}

/** Control characters forge lines in lists of names; a backslash is a separator elsewhere. */
// oxlint-disable-next-line no-control-regex
const UNUSABLE = /[\u0000-\u001f\u007f\\]/;
const LONGEST_PATH = 1024;

/** Removes `.` and doubled slashes from a logical path; `''` is the run itself. Refuses a path that is not relative. */
export function cleanPath(path: string, mounts: readonly OwnedMount[]): string {
  const refuse = (why: string) => new FileToolError(`${displayPath(path)} ${why}. ${describeMounts(mounts)}`);
  if (path.length > LONGEST_PATH) throw refuse(`is longer than ${LONGEST_PATH} characters`);
  if (UNUSABLE.test(path)) throw refuse('holds a control character or a backslash');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    throw refuse('is an absolute path; name files relative to the run');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refuse('holds ".."');
  return parts.join('/');
}

/** The mount with the longest name that contains the path; names are compared whole, part by part. */
export function findMount(logical: string, mounts: readonly OwnedMount[]): OwnedMount | undefined {
  const around = mounts.filter((mount) => isWithin(logical, mount.logical));
  return around.toSorted((one, other) => other.logical.length - one.logical.length)[0];
}

/** True for `folder` itself and for everything under it. */
export function isWithin(logical: string, folder: string): boolean {
  return folder === '' || logical === folder || logical.startsWith(`${folder}/`);
}

/** Contract: throws `FileToolError` for a path outside the mounts, by name or through a symbolic link. */
export async function locatePath(path: string, mounts: readonly OwnedMount[]): Promise<ResolvedPath> {
  const logical = cleanPath(path, mounts);
  const mount = findMount(logical, mounts);
  if (mount === undefined)
    throw new FileToolError(`${displayPath(path)} is not yours to see. ${describeMounts(mounts)}`);
  const rest = logical.slice(mount.logical.length).replace(/^\//, '');
  const real = await resolvePath({ workdir: mount.physical }, rest === '' ? '.' : rest).catch(() => undefined);
  if (real === undefined) {
    const reason = `a symbolic link leads out of ${mount.logical}, or the name is too long`;
    throw new FileToolError(`${displayPath(path)} cannot be used: ${reason}. ${describeMounts(mounts)}`);
  }
  return { mount, logical, real };
}

/** Like `locatePath`, and refuses a path that belongs to somebody else. */
export async function locateWritable(path: string, mounts: readonly OwnedMount[]): Promise<ResolvedPath> {
  const place = await locatePath(path, mounts);
  const holder = place.mount.writable ? await findInnermost(place, mounts) : place.mount;
  if (holder.writable) {
    await refuseMissingRoot(holder);
    return place;
  }
  const whose = holder.owner ?? `${holder.logical} is another's, or already committed`;
  throw new FileToolError(`${displayPath(path)} is read-only: ${whose}. ${describeMounts(mounts)}`);
}

/** A write creates the folders that it needs, except the attempt's own: when that is gone, the attempt was taken over. */
async function refuseMissingRoot({ logical, physical }: OwnedMount): Promise<void> {
  for (const folder of [physical, dirname(physical)])
    if ((await valueOnErrno('ENOENT', undefined, stat(folder))) !== undefined) return;
  throw new HarnessError('attempt_lost', `${logical} is not there any more: another worker took the step over.`);
}

/** One folder on disk may be inside another under an unrelated name; the deepest one decides who may write. */
async function findInnermost(place: ResolvedPath, mounts: readonly OwnedMount[]): Promise<OwnedMount> {
  let holder = place.mount;
  let depth = (await realRoot(holder)).length;
  for (const mount of mounts) {
    const root = await realRoot(mount);
    const inside = place.real === root || place.real.startsWith(root.endsWith(sep) ? root : root + sep);
    if (inside && root.length > depth) [holder, depth] = [mount, root.length];
  }
  return holder;
}

async function realRoot(mount: OwnedMount): Promise<string> {
  return realpath(mount.physical).catch(() => mount.physical);
}

/** Lists the names that an agent may use, for refusals. */
export function describeMounts(mounts: readonly OwnedMount[]): string {
  if (mounts.length === 0) return 'There are no files to use.';
  const names = [...mounts]
    .sort((a, b) => (a.logical < b.logical ? -1 : 1))
    .map(({ logical, writable }) => `${logical} (${writable ? 'yours to write' : 'read-only'})`);
  return `You may use: ${names.join(', ')}.`;
}

/** Returns a name that a model wrote as one short line. */
export function displayPath(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

/** The logical name of a file under the mount's real root. */
export function logicalName(mount: OwnedMount, root: string, file: string): string {
  const rest = relative(root, file).split(sep).join('/');
  return rest === '' ? mount.logical : mount.logical === '' ? rest : `${mount.logical}/${rest}`;
}

/** Contract: `infrastructure` for a mount whose name or folder could lead elsewhere. */
export function checkMount(mount: OwnedMount): OwnedMount {
  const logical = mount.logical.replace(/\/+$/, '');
  const isClean = logical === '' || logical.split('/').every((part) => !['', '.', '..'].includes(part));
  if (isAbsolute(mount.physical) && isClean) return { ...mount, logical };
  const message = `The mount "${mount.logical}" needs a relative name and an absolute folder.`;
  throw new HarnessError('infrastructure', message);
}

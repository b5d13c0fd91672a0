/** Isolation by bubblewrap: an empty file system with the folder in it, and separate namespaces for everything else. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Launch } from './host-process.ts';
import { memoryCapsFor, withProcessCaps, type ProcessCaps } from './limits.ts';
import { hostArgs, type NodeTools } from './node-permission.ts';
import { systemCallFilter } from './seccomp.ts';
import type { VisibleFiles } from './visible-files.ts';

/** All paths are absolute; `prlimit` is used where it is installed. */
export type BubblewrapTools = NodeTools & { bwrap: string };

const NAMESPACES = [
  ['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
  ['--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
].flat();

/** The file descriptor that carries the filter on system calls. */
const FILTER = '4';

/** Gives no `/proc`, no `/dev`, no writable `/tmp` and no program but Node: code cannot misuse what is missing. */
export function bubblewrapLaunch(tools: BubblewrapTools, view: VisibleFiles, isolation: readonly string[]): Launch {
  // Files ending in `.mts` and `.mjs` are modules in any folder, so no package.json has to be visible inside.
  const ending = tools.host.endsWith('.ts') ? 'mts' : 'mjs';
  const [host, clock] = [`/sandbox/host.${ending}`, `/sandbox/fixed-clock.${ending}`];
  const parts = tools.parts.map((path) => [path, `/sandbox/${basename(path)}`] as const);
  const mounts = [
    ['--ro-bind', realpathSync(tools.node), '/sandbox/node'],
    ['--ro-bind', tools.host, host, '--ro-bind', tools.clock, clock],
    ...parts.map(([path, inside]) => ['--ro-bind', path, inside]),
  ].flat();
  const { heapMb, nodeMb } = memoryCapsFor(view.dir);
  const grants = ['/components/*', host, clock, ...parts.map(([, inside]) => inside)].map(
    (path) => `--allow-fs-read=${path}`,
  );
  const command = ['/sandbox/node', '--permission', ...grants, ...hostArgs({ host, clock }, '/components', heapMb)];
  const filter = systemCallFilter('threads');
  return buildLaunch(tools, view, { isolation, mounts, command, filter, caps: { memoryMb: nodeMb } });
}

type LaunchParts = {
  isolation: readonly string[];
  mounts: readonly string[];
  command: readonly string[];
  filter: Buffer | undefined;
  caps: ProcessCaps;
};

const LIBRARIES = ['/usr/lib', '/usr/lib64', '/lib', '/lib64'];

export function buildLaunch(
  { bwrap, prlimit }: BubblewrapTools,
  { dir, visible }: VisibleFiles,
  parts: LaunchParts,
): Launch {
  const { isolation, mounts, command, filter, caps } = parts;
  const args = [
    [...NAMESPACES, ...isolation],
    LIBRARIES.flatMap(libraryFolder),
    ['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    mounts,
    ['--dir', '/components', ...visible.flatMap((path) => ['--ro-bind', join(dir, path), `/components/${path}`])],
    // Nothing is writable, because the next call would find what one call leaves there.
    ['--dir', '/tmp', '--remount-ro', '/', '--chdir', '/components'],
    filter === undefined ? [] : ['--seccomp', FILTER],
    ['--', ...command],
  ].flat();
  return { ...withProcessCaps(prlimit, caps, { file: bwrap, args }), cwd: dir, ...omitUndefined({ filter }) };
}

export function isVisible(path: string): boolean {
  return LIBRARIES.some((folder) => path === folder || path.startsWith(folder + sep));
}

/** Mounts a library folder as on this machine: a folder is bound, a link stays a link. */
function libraryFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** Isolation by bubblewrap: an empty file system with the folder in it, and separate namespaces for everything else. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Python } from './find-python.ts';
import type { Launch } from './host-process.ts';
import { memoryCapsFor, capped } from './limits.ts';
import { hostArgs, type NodeTools } from './node-permission.ts';
import { PYTHON_ENV, pythonCommand } from './python-launch.ts';
import { systemCallFilter } from './seccomp.ts';

/** Absolute paths; `prlimit` is used where it is installed. */
type BubblewrapTools = NodeTools & { bwrap: string };

const NAMESPACES = [
  ['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
  ['--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
].flat();

/** The file descriptor of the filter on system calls. */
const FILTER = '4';

/** No `/proc`, no `/dev`, no programs but node: what is missing cannot be misused. */
export function bubblewrapLaunch(tools: BubblewrapTools, dir: string, isolation: readonly string[]): Launch {
  // `.mts` and `.mjs` are modules in any folder, so no package.json has to be visible inside.
  const ending = tools.host.endsWith('.ts') ? 'mts' : 'mjs';
  const [host, clock] = [`/sandbox/host.${ending}`, `/sandbox/still-clock.${ending}`];
  const cachedValues = tools.kept === undefined ? [] : [`/sandbox/${basename(tools.kept)}`];
  const mounts = [
    ['--ro-bind', realpathSync(tools.node), '/sandbox/node'],
    ['--ro-bind', tools.host, host, '--ro-bind', tools.clock, clock],
    ...cachedValues.map((inside) => ['--ro-bind', tools.kept ?? '', inside]),
  ].flat();
  const { heapMb, nodeMb } = memoryCapsFor(dir);
  const grants = ['/components/*', host, clock, ...cachedValues].map((path) => `--allow-fs-read=${path}`);
  const command = ['/sandbox/node', '--permission', ...grants, ...hostArgs({ host, clock }, '/components', heapMb)];
  const filter = systemCallFilter('allowed');
  return inside(tools, dir, { isolation, mounts, command, filter, memoryMb: nodeMb });
}

/** As for node, with Python's standard library in its usual place, and without installed packages. */
export function bubblewrapPythonLaunch(
  { python, ...tools }: BubblewrapTools & { python: Python },
  dir: string,
  isolation: readonly string[],
): Launch {
  const { executable, libraries, packages } = python;
  const mounts = [
    ...Object.entries(PYTHON_ENV).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(isVisible(libraries) ? [] : ['--ro-bind', libraries, libraries]),
    ...(packages.startsWith(libraries + sep) && existsSync(packages) ? ['--tmpfs', packages] : []),
    ...(isVisible(executable) ? [] : ['--ro-bind', executable, executable]),
  ];
  const command = pythonCommand(python, '/components');
  const filter = systemCallFilter('denied');
  return inside(tools, dir, { isolation, mounts, command, filter, memoryMb: memoryCapsFor(dir).pythonMb });
}

type Inside = {
  isolation: readonly string[];
  mounts: readonly string[];
  command: readonly string[];
  filter: Buffer | undefined;
  memoryMb: number;
};

const LIBRARIES = ['/usr/lib', '/usr/lib64', '/lib', '/lib64'];

function inside({ bwrap, prlimit }: BubblewrapTools, dir: string, parts: Inside): Launch {
  const { isolation, mounts, command, filter, memoryMb } = parts;
  const args = [
    [...NAMESPACES, ...isolation],
    LIBRARIES.flatMap(libraryFolder),
    ['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    mounts,
    ['--ro-bind', dir, '/components'],
    ['--size', String(16 * 1024 ** 2), '--tmpfs', '/tmp', '--remount-ro', '/', '--chdir', '/components'],
    filter === undefined ? [] : ['--seccomp', FILTER],
    ['--', ...command],
  ].flat();
  return { ...capped(prlimit, memoryMb, { file: bwrap, args }), cwd: dir, ...omitUndefined({ filter }) };
}

function isVisible(path: string): boolean {
  return LIBRARIES.some((folder) => path === folder || path.startsWith(folder + sep));
}

/** A library folder as on this machine: a folder is bound, a link stays a link. */
function libraryFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

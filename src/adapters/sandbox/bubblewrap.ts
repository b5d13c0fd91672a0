/** The bubblewrap walls: an empty file system with the folder in it, and namespaces of its own for everything else. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import type { Launch } from './host-process.ts';
import { HEAP_MB, MAX_CHARS, PRLIMIT_ARGS } from './limits.ts';

/** Absolute paths of what takes part; `prlimit` is used where it is installed. */
export type BubblewrapTools = { bwrap: string; prlimit: string | undefined; node: string; host: string };

const NAMESPACES = [
  ['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
  ['--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
].flat();

/** No `/proc`, no `/dev`, no programs but node: neither is needed, and what is not there cannot be misused. */
export function bubblewrapLaunch(tools: BubblewrapTools, dir: string, walls: readonly string[]): Launch {
  // `.mts` and `.mjs` are modules wherever they lie, so no package.json has to be visible inside.
  const host = tools.host.endsWith('.ts') ? '/sandbox/host.mts' : '/sandbox/host.mjs';
  const args = [
    [...NAMESPACES, ...walls],
    ['/usr/lib', '/usr/lib64', '/lib', '/lib64'].flatMap(libraryFolder),
    ['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    ['--ro-bind', realpathSync(tools.node), '/sandbox/node'],
    ['--ro-bind', tools.host, host],
    ['--ro-bind', dir, '/components'],
    ['--size', String(16 * 1024 ** 2), '--tmpfs', '/tmp', '--remount-ro', '/', '--chdir', '/components', '--'],
    ['/sandbox/node', '--permission', '--allow-fs-read=/components/*', `--allow-fs-read=${host}`],
    [`--max-old-space-size=${HEAP_MB}`, '--no-warnings', host, '/components', String(MAX_CHARS)],
  ].flat();
  if (tools.prlimit === undefined) return { file: tools.bwrap, args, cwd: dir };
  return { file: tools.prlimit, args: [...PRLIMIT_ARGS, tools.bwrap, ...args], cwd: dir };
}

/** A library folder as it is on this machine: a folder is bound, a link stays a link. */
function libraryFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

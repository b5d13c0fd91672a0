/** Isolation by Node's permission model alone, for machines without bubblewrap. */
import { join } from 'node:path';
import type { HostFiles } from './host-files.ts';
import type { Launch } from './host-process.ts';
import { listFilesAt, type VisibleFiles } from './visible-files.ts';
import { MAX_CHARS, memoryCapsFor, withProcessCaps } from './limits.ts';

/** All paths are absolute; `prlimit` is used where it is installed. `clock` is loaded before the host, which loads separate `parts`. */
export type NodeTools = HostFiles & { prlimit: string | undefined; node: string };

/**
 * Grants files one by one: the permission model follows symbolic links, so a granted folder with a link in it would
 * open the whole disk.
 */
export async function nodePermissionLaunch(tools: NodeTools, { dir, visible }: VisibleFiles): Promise<Launch> {
  const own = [tools.host, tools.clock, ...tools.parts];
  const granted = [...own, ...(await plainFiles(dir, visible))].map((path) => `--allow-fs-read=${path}`);
  const launch = nodeLaunch(tools, dir, ['--permission', ...granted]);
  return { ...launch, args: [...launch.args, 'guarded'] };
}

/** Starts Node with caps on memory and time, and with the given isolation. */
export function nodeLaunch(tools: NodeTools, dir: string, isolation: readonly string[]): Launch {
  const { prlimit, node } = tools;
  const { heapMb, nodeMb } = memoryCapsFor(dir);
  const args = [...isolation, ...hostArgs(tools, dir, heapMb)];
  return { ...withProcessCaps(prlimit, { memoryMb: nodeMb }, { file: node, args }), cwd: dir };
}

/** Returns Node's arguments that start the host; `root` is the folder's path as the host sees it. */
export function hostArgs({ host, clock }: Pick<NodeTools, 'host' | 'clock'>, root: string, heapMb: number): string[] {
  return [
    `--import=${clock}`,
    `--max-old-space-size=${heapMb}`,
    '--max-semi-space-size=1',
    '--no-warnings',
    host,
    root,
    String(MAX_CHARS),
  ];
}

/** Skips links, and names with `*`, which the permission model would read as a pattern. */
async function plainFiles(dir: string, visible: readonly string[]): Promise<string[]> {
  const found = await Promise.all(visible.map((path) => listFilesAt(join(dir, path))));
  return found.flat().filter((path) => !path.includes('*') && /\.(mjs|m?ts|json)$/.test(path));
}

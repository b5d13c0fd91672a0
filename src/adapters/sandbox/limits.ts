/** The caps on generated code that every sandbox sets. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_WORLD_BYTES } from '../../scenario/world-limits.ts';

/** The most characters of one answer. */
export const MAX_CHARS = 4 * 1024 * 1024;

/** The most characters of the arguments of one call, without cached worlds and with what they repeat counted once. */
export const MAX_ARGUMENT_CHARS = 24 * 1024 * 1024;

/** The most characters of all worlds that one host caches; the oldest are dropped for a new one. */
export const KEPT_CHARS = 2 * MAX_WORLD_BYTES;

/** JavaScript heap and whole memory of one process: Node does not start below 1 GiB, Python needs far less. */
type MemoryCaps = { heapMb: number; nodeMb: number; pythonMb: number };

const USUAL_CAPS: MemoryCaps = { heapMb: 512, nodeMb: 1024, pythonMb: 512 };
/** A copy of a world as objects takes ten times the memory of its text, and there are several copies at a time. */
const LARGE_WORLD_CAPS: MemoryCaps = { heapMb: 512, nodeMb: 1536, pythonMb: 1024 };
const LARGE_BYTES = 1024 * 1024;

/** Chooses the caps for hosts of a folder by its world files, which generated code cannot write. */
export function memoryCapsFor(dir: string): MemoryCaps {
  try {
    const worlds = join(dir, 'samples/worlds');
    const isLarge = readdirSync(worlds).some((name) => statSync(join(worlds, name)).size > LARGE_BYTES);
    return isLarge ? LARGE_WORLD_CAPS : USUAL_CAPS;
  } catch {
    return USUAL_CAPS;
  }
}

type Command = { file: string; args: string[] };

/**
 * With `withShared`, shared memory counts too. Not for Node, which reserves address space that it never uses. A host that
 * `answersMany` calls is killed at the end of each one's time, so the sum of its processor time has no cap.
 */
export type ProcessCaps = { memoryMb: number; withShared?: boolean; answersMany?: boolean };

/** The address space in MB that an interpreter and its libraries take before any component. */
const LIBRARIES_MB = 192;

/** Runs the command under `prlimit`, where installed: caps memory, processor time, open files, core dumps, file sizes. */
export function withProcessCaps(prlimit: string | undefined, limits: ProcessCaps, { file, args }: Command): Command {
  if (prlimit === undefined) return { file, args };
  const { memoryMb, withShared = false, answersMany = false } = limits;
  const caps = [
    `--data=${memoryMb * 1024 ** 2}`,
    ...(withShared ? [`--as=${(memoryMb + LIBRARIES_MB) * 1024 ** 2}`] : []),
    ...(answersMany ? [] : ['--cpu=60']),
    '--nofile=128',
    '--core=0',
    `--fsize=${16 * 1024 ** 2}`,
    '--',
  ];
  return { file: prlimit, args: [...caps, file, ...args] };
}

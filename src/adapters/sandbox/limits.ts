/** The caps on generated code that every sandbox sets. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_WORLD_BYTES } from '../../scenario/world-limits.ts';

/** Characters of one answer, and of the arguments of one call without cached worlds. */
export const MAX_CHARS = 4 * 1024 * 1024;

/** Characters of all worlds that one host caches: the oldest make room for a new one. */
export const KEPT_CHARS = 2 * MAX_WORLD_BYTES;

/** JavaScript heap of one process; all memory of one: node does not start below 1 GiB, Python needs far less. */
type MemoryCaps = { heapMb: number; nodeMb: number; pythonMb: number };

const USUAL: MemoryCaps = { heapMb: 128, nodeMb: 1024, pythonMb: 512 };
/** A copy of a world as objects takes ten times its text, and there are some at a time. */
const ON_LARGE_WORLDS: MemoryCaps = { heapMb: 512, nodeMb: 1536, pythonMb: 1024 };
const LARGE_BYTES = 1024 * 1024;

/** For hosts on a folder of components: by its world files, which generated code cannot write. */
export function memoryCapsFor(dir: string): MemoryCaps {
  try {
    const worlds = join(dir, 'samples/worlds');
    const isLarge = readdirSync(worlds).some((name) => statSync(join(worlds, name)).size > LARGE_BYTES);
    return isLarge ? ON_LARGE_WORLDS : USUAL;
  } catch (noWorlds) {
    void noWorlds;
    return USUAL;
  }
}

type Command = { file: string; args: string[] };

/** `withShared`: shared memory counts too. Not for node, which reserves address space that it never uses. */
export type ProcessCaps = { memoryMb: number; withShared?: boolean };

/** Address space that an interpreter and its libraries take before a component does. */
const LIBRARIES_MB = 192;

/** The command under `prlimit`, where that is installed: caps memory, processor time, open files, core dumps, file sizes. */
export function capped(prlimit: string | undefined, limits: ProcessCaps, { file, args }: Command): Command {
  if (prlimit === undefined) return { file, args };
  const { memoryMb, withShared = false } = limits;
  const caps = [
    `--data=${memoryMb * 1024 ** 2}`,
    ...(withShared ? [`--as=${(memoryMb + LIBRARIES_MB) * 1024 ** 2}`] : []),
    '--cpu=60',
    '--nofile=128',
    '--core=0',
    `--fsize=${16 * 1024 ** 2}`,
    '--',
  ];
  return { file: prlimit, args: [...caps, file, ...args] };
}

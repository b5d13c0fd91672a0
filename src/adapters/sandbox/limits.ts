/** The caps on generated code that every sandbox sets. */

/** Characters of one answer, and of the arguments of one call. */
export const MAX_CHARS = 4 * 1024 * 1024;

/** JavaScript heap of one process; a world of the largest size that is accepted fits many times. */
export const HEAP_MB = 128;

/** All memory of one process: node does not start below 1 GiB, Python needs far less. */
export const NODE_MEMORY_MB = 1024;
export const PYTHON_MEMORY_MB = 512;

/** What `prlimit` caps: memory, processor time, open files, core dumps, sizes of files. */
export function prlimitArgs(memoryMb: number): string[] {
  return [`--data=${memoryMb * 1024 ** 2}`, '--cpu=60', '--nofile=128', '--core=0', `--fsize=${16 * 1024 ** 2}`, '--'];
}

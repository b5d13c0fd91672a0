/** The caps on generated code that every sandbox sets. */

/** Characters of one answer, and of the arguments of one call. */
export const MAX_CHARS = 4 * 1024 * 1024;

/** JavaScript heap of one process; a world of the largest size that is accepted fits many times. */
export const HEAP_MB = 128;

/** What `prlimit` caps besides: all memory (node does not start below 1 GiB), processor time, open files, core dumps. */
export const PRLIMIT_ARGS = [
  `--data=${1024 ** 3}`,
  '--cpu=60',
  '--nofile=128',
  '--core=0',
  `--fsize=${16 * 1024 ** 2}`,
  '--',
];

/** The host of JavaScript as files: the program, what it loads first, and what it is not built from yet in a checkout. */
import { isBuilt, ownFile } from '../../own-file.ts';

export const HOST_FILES = {
  host: ownFile('adapters/sandbox/host'),
  clock: ownFile('adapters/sandbox/fixed-clock'),
  /** In the package they are built into the host. */
  parts: isBuilt ? [] : ['cached-values', 'guard-builtins'].map((name) => ownFile(`adapters/sandbox/${name}`, '.mts')),
};

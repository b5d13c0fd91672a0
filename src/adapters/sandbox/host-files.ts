/** The files of the JavaScript host: the program, what it loads first, and the parts that a checkout loads separately. */
import { isBuilt, ownFile } from '../../own-file.ts';

export const HOST_FILES = {
  host: ownFile('adapters/sandbox/host'),
  clock: ownFile('adapters/sandbox/fixed-clock'),
  /** In the package these parts are built into the host. */
  parts: isBuilt ? [] : ['cached-values', 'guard-builtins'].map((name) => ownFile(`adapters/sandbox/${name}`, '.mts')),
};

/** The file of a component: its language, and whether it may be loaded. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

export type ModuleLanguage = 'javascript' | 'python';

/** TypeScript counts as JavaScript: the host strips its types. */
export function detectLanguage(module: string): ModuleLanguage {
  return module.endsWith('.py') ? 'python' : 'javascript';
}

/** Returns why a module may not be loaded: it is no plain file of the folder. A link could lead anywhere. */
export async function moduleFault(dir: string, module: string): Promise<string | undefined> {
  const isPlain = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*\.(mjs|m?ts|py)$/.test(module);
  if (!isPlain) return `"${module}" is not the relative path of an .mjs, .mts, .ts or .py file`;
  const path = join(dir, module);
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return `${module} does not exist`;
  return real === path ? undefined : `${module} is a symbolic link; only plain files are loaded`;
}

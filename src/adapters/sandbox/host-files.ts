/** The program of the JavaScript host, what it loads first, and the parts that lie beside it. */
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';
import { createTemporaryFolder } from '../../disk/temporary-folder.ts';
import { isBuilt, ownFile } from '../../own-file.ts';

export type HostFiles = { host: string; clock: string; parts: readonly string[] };

export const HOST_FILES: HostFiles = {
  host: ownFile('adapters/sandbox/host'),
  clock: ownFile('adapters/sandbox/fixed-clock'),
  /** In the package these parts are built into the host. */
  parts: isBuilt ? [] : ['cached-values', 'guard-builtins'].map((name) => ownFile(`adapters/sandbox/${name}`, '.mts')),
};

let plain: Promise<HostFiles> | undefined;

/**
 * Resolves with the files as plain JavaScript. A host answers once, so a proof starts hundreds, and in a checkout each
 * start would strip the types anew, which takes longer than the start of Node itself.
 */
export function preparePlainHost(): Promise<HostFiles> {
  if (isBuilt) return Promise.resolve(HOST_FILES);
  plain ??= writePlainHost();
  plain.catch(() => (plain = undefined));
  return plain;
}

async function writePlainHost(): Promise<HostFiles> {
  const folder = await createTemporaryFolder('host');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const writePlain = async (path: string): Promise<string> => {
    const file = join(folder, basename(path).replace(/m?ts$/, 'mjs'));
    const code = stripTypes(await readFile(path, 'utf8')).replaceAll(/(from '\.\/[\w-]+)\.mts'/g, "$1.mjs'");
    await writeFile(file, code, { mode: 0o600 });
    return file;
  };
  const { host, clock, parts } = HOST_FILES;
  return {
    host: await writePlain(host),
    clock: await writePlain(clock),
    parts: await Promise.all(parts.map((path) => writePlain(path))),
  };
}

/** Node says at the first use that this may change, which nobody who evaluates can do anything about. */
function stripTypes(source: string): string {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = warn;
  }
}

/** The program of the JavaScript host, what it loads first, and the parts that lie beside it. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { basename, join } from 'node:path';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { sha256 } from '../../disk/sha256.ts';
import { isBuilt, ownFile, packageFolder } from '../../own-file.ts';

export type HostFiles = { host: string; clock: string; parts: readonly string[] };

export const HOST_FILES: HostFiles = {
  host: ownFile('adapters/sandbox/host'),
  clock: ownFile('adapters/sandbox/fixed-clock'),
  /** In the package these parts are built into the host. */
  parts: isBuilt
    ? []
    : ['cached-values', 'guard-builtins', 'line-channel'].map((name) => ownFile(`adapters/sandbox/${name}`, '.mts')),
};

let plain: Promise<HostFiles> | undefined;

/**
 * Resolves with the files as plain JavaScript. A host answers once, so a proof starts hundreds, and in a checkout each
 * start would strip the types anew, which takes longer than the start of Node itself. Kept by their content.
 */
export function preparePlainHost(): Promise<HostFiles> {
  if (isBuilt) return Promise.resolve(HOST_FILES);
  // Where the packages of the checkout cannot be written to, each start takes longer.
  return (plain ??= writePlainHost().catch(() => HOST_FILES));
}

async function writePlainHost(): Promise<HostFiles> {
  const { host, clock, parts } = HOST_FILES;
  const paths = [host, clock, ...parts];
  const sources = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const key = sha256(JSON.stringify([process.version, sources])).slice(0, 16);
  const folder = join(packageFolder(), 'node_modules/.cache/tandem-host', key);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const written = paths.map(async (path, index) => {
    const file = join(folder, basename(path).replace(/m?ts$/, 'mjs'));
    // The folder is named by the sources, and a file is written whole or not at all.
    if (existsSync(file)) return file;
    const code = stripTypes(sources[index] ?? '').replaceAll(/(from '\.\/[\w-]+)\.mts'/g, "$1.mjs'");
    await atomicWrite(file, code);
    return file;
  });
  const [plainHost = host, plainClock = clock, ...plainParts] = await Promise.all(written);
  return { host: plainHost, clock: plainClock, parts: plainParts };
}

/** Node says at the first use that this may change, which nobody who evaluates can do anything about. */
function stripTypes(source: string): string {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return nodeModule.stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = warn;
  }
}

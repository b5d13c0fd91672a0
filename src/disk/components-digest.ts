/** Digests a folder of components as a whole, and each file in it. */
import { manifestDigest, makeManifest } from './manifest.ts';

/** The folders that Execute writes; `graders` exists only where a question needs a reader. */
export const COMPONENT_FOLDERS = ['tools', 'checkers', 'graders', 'samples'] as const;

/** Digests the component folders only, so equal components have one digest in every iteration and evaluation. */
export async function digestComponents(dir: string): Promise<string> {
  return manifestDigest({ version: 1, files: await listComponentFiles(dir) });
}

/** Maps the path of every component file to its SHA-256. */
export async function digestEachFile(dir: string): Promise<Record<string, string>> {
  return Object.fromEntries((await listComponentFiles(dir)).map(({ path, sha256 }) => [path, sha256]));
}

async function listComponentFiles(dir: string) {
  const { files } = await makeManifest(dir, false);
  return files.filter(({ path }) => /^(tools|checkers|graders|samples)\//.test(path));
}

/** The digest of the content of a folder of components. */
import { manifestDigest, makeManifest } from './manifest.ts';

/** Over tools, checkers and samples alone: the same components have the same digest in every iteration and evaluation. */
export async function componentsDigest(dir: string): Promise<string> {
  const { version, files } = await makeManifest(dir, false);
  return manifestDigest({ version, files: files.filter(({ path }) => /^(tools|checkers|samples)\//.test(path)) });
}

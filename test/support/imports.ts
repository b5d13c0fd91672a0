/** Which files import which, read from their text: for tests about the tree itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';

/** Paths of all code in a folder, from the root of the repository. */
export function codeIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.m?ts$/.test(path))
    .map((path) => `${folder}/${path}`);
}

const all = new Set([...codeIn('src'), ...codeIn('test')]);
const known = new Map<string, readonly string[]>();

/** Files of `src` and `test` that a file imports, or starts by their URL. */
export function importsOf(file: string): readonly string[] {
  const cached = known.get(file);
  if (cached !== undefined) return cached;
  const named = readFileSync(file, 'utf8').matchAll(/(?:from|import|import\(|new URL\()\s*'(\.[^']+)'/g);
  const found = [...named].map(([, spec = '']) => posix.normalize(posix.join(dirname(file), spec)));
  const there = found.filter((path) => all.has(path));
  known.set(file, there);
  return there;
}

/** Everything that can be reached from some files by imports of files that `follow` lets through. */
export function reachedFrom(start: Iterable<string>, follow: (file: string) => boolean): Set<string> {
  const found = new Set<string>();
  const open = [...start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    if (follow(file)) open.push(...importsOf(file));
  }
  return found;
}

/** Files of `src` that a test imports, itself or by way of other files of `test`. */
export function sourcesOf(test: string): string[] {
  return [...reachedFrom([test], (file) => file.startsWith('test/'))].filter((file) => file.startsWith('src/'));
}

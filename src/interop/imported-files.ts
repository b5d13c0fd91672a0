/** The result of an importer: files to write, and the parts of the source that could not be imported. */
import { sha256 } from '../disk/sha256.ts';

export type ImportedFiles = {
  /** Paths relative to the new folder. */
  files: { path: string; content: string }[];
  /** Sentences for a person: what is missing, and what to do about it. */
  gaps: string[];
  /** What a person has to add, because the source does not say it; nothing of the source is lost by it. */
  todo?: string[];
};

export function jsonFile(path: string, value: unknown): ImportedFiles['files'][number] {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}

export function linesFile(path: string, values: readonly unknown[]): ImportedFiles['files'][number] {
  return { path, content: values.map((value) => `${JSON.stringify(value)}\n`).join('') };
}

const LONGEST = 64;
const PREFIX = 52;

/** Makes slugs of foreign ids: equal for equal ids, and different for different ones. */
export function createSlugs(fallback: string): (id: string) => string {
  const owners = new Map<string, string>();
  return (id) => {
    const plain = id
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '');
    const isFree = plain !== '' && plain.length <= LONGEST && (owners.get(plain) ?? id) === id;
    const short = plain.slice(0, PREFIX).replace(/-+$/, '') || fallback;
    const slug = isFree ? plain : `${short}-${sha256(id).slice(0, 8)}`;
    owners.set(slug, id);
    return slug;
  };
}

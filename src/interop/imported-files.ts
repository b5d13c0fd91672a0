/** What an importer makes: files to be written, and what of the source could not be carried over. */
import { createHash } from 'node:crypto';

export type ImportedFiles = {
  /** Paths relative to the folder that is made. */
  files: { path: string; content: string }[];
  /** Sentences for a person: what is missing, and what to do about it. */
  gaps: string[];
};

export function jsonFile(path: string, value: unknown): ImportedFiles['files'][number] {
  return { path, content: `${JSON.stringify(value, null, 2)}\n` };
}

export function linesFile(path: string, values: readonly unknown[]): ImportedFiles['files'][number] {
  return { path, content: values.map((value) => `${JSON.stringify(value)}\n`).join('') };
}

const LONGEST = 64;
const KEPT = 52;

/** Makes slugs of foreign ids: always the same for the same id, and never one for two. */
export function createSlugs(fallback: string): (id: string) => string {
  const owners = new Map<string, string>();
  return (id) => {
    const plain = id
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '');
    const isFree = plain !== '' && plain.length <= LONGEST && (owners.get(plain) ?? id) === id;
    const short = plain.slice(0, KEPT).replace(/-+$/, '') || fallback;
    const slug = isFree ? plain : `${short}-${sha256(id).slice(0, 8)}`;
    owners.set(slug, id);
    return slug;
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

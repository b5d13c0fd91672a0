/** Finds the files that a person mentions as `@path`, in order and each once; reads none of them (S1.11). */

/** The mentioned names as written; those in `outside` lead out of the run and are useless to an agent. */
export type Mentions = { inside: string[]; outside: string[] };

/** The whole paths of mentioned files, and the names in `inside` that look like files but match none. */
export type NamedFiles = { found: string[]; missing: string[]; outside: string[] };

/** The most mentioned files that are listed; further ones are only counted. */
const MOST_NAMED = 5;

/**
 * A mention may not follow a digit, a letter of a spaced script or a part of a path, so that e-mail addresses, web addresses
 * and lines of a stack trace have none, but it may follow Chinese text. Quotes, or a backslash before it, allow any character
 * in a path; brackets belong to it in pairs.
 */
const MENTION =
  /(?<![\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}/\\@._~%:=-])@(?:"([^"\n<>]{1,500})"|((?:\\[^\n]|\([^()\s<>"]*\)|\[[^[\]\s<>"]*\]|[\p{L}\p{N}_./+~-]){1,500}))/gu;

export function parseMentions(text: string): Mentions {
  const named = [...text.matchAll(MENTION)].map(
    ([, quoted, bare = '']) => quoted ?? bare.replace(/\.+$/, '').replaceAll(/\\(.)/gu, '$1'),
  );
  const paths = [...new Set(named)].filter((path) => path.trim() !== '');
  const leadsOut = (path: string) => path.startsWith('/') || path.split('/').includes('..');
  return { inside: paths.filter((path) => !leadsOut(path)), outside: paths.filter(leadsOut) };
}

/** Finds a file by its path or the end of it, first in `folder`, then the newest; attached text is dropped. An accent may be a character of its own. */
export function findNamedFile(name: string, folder: string, known: readonly string[]): string | undefined {
  for (const wanted of [name, ...listShorterNames(name)].map((one) => one.normalize())) {
    const whole = known.find((path) => path.normalize() === wanted);
    if (whole !== undefined) return whole;
    const ends = known.filter((path) => path.normalize().endsWith(`/${wanted}`));
    const best = ends.find((path) => path === `${folder}/${wanted}`) ?? ends.toSorted(newestFirst)[0];
    if (best !== undefined) return best;
  }
  return undefined;
}

const newestFirst = (one: string, other: string): number => other.localeCompare(one, 'en', { numeric: true });

/** Lists the beginnings before a non-ASCII letter or a bracket, longest first: `rules.yaml的第二条` gives `rules.yaml`. */
export function listShorterNames(name: string): string[] {
  return [...name.matchAll(/(?<=.)(?:\P{ASCII}|[([])/gu)].map(({ index }) => name.slice(0, index)).toReversed();
}

/** Requires an ending, because `@ada` is a person, `@types/node` a package and `@return-in-time` may be a sample. */
export function looksLikeFile(name: string): boolean {
  return /[^./]\.[a-z][a-z0-9]{0,7}(?!\w)/iu.test(name.slice(name.lastIndexOf('/') + 1));
}

export function resolveMentions({ inside, outside }: Mentions, folder: string, known: readonly string[]): NamedFiles {
  const named = inside.map((name) => ({ name, path: findNamedFile(name, folder, known) }));
  return {
    found: [...new Set(named.flatMap(({ path }) => path ?? []))],
    missing: named.flatMap(({ name, path }) => (path === undefined && looksLikeFile(name) ? [name] : [])),
    outside,
  };
}

/** Fills `{{paths}}` and `{{more}}` of the reminder; returns undefined when no mentioned file can be read. */
export function formatReminder({ found, outside }: NamedFiles): { paths: string; more: string } | undefined {
  if (found.length === 0) return undefined;
  const rest = found.length - MOST_NAMED;
  const left = outside.slice(0, MOST_NAMED).join(', ');
  return {
    paths: found.slice(0, MOST_NAMED).join(', '),
    more: [
      ...(rest > 0 ? [` (and ${rest} more…)`] : []),
      ...(outside.length > 0 ? [` (outside of the run, so left out: ${left})`] : []),
    ].join(''),
  };
}

/** Fills `{{missing}}` of the reminder; returns undefined when every mentioned file exists. */
export function formatMissing({ missing }: NamedFiles): { missing: string } | undefined {
  if (missing.length === 0) return undefined;
  const rest = missing.length - MOST_NAMED;
  return { missing: missing.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? ` (and ${rest} more…)` : '') };
}

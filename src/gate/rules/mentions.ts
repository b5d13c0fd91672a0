/** The files that a person mentions as `@path`: in order, each once; nothing of them is read here (S1.11). */

/** Names as they were written; `outside` lead out of the run and are of no use to an agent. */
export type Mentions = { inside: string[]; outside: string[] };

/** A person names a few files, not a directory listing: what comes after is counted. */
const MOST_NAMED = 5;

/** Not after a letter or digit, so that an address stays an address; quotes hold a path with spaces. */
const MENTION = /(?<![\p{L}\p{N}])@(?:"([^"\n<>]{1,500})"|([\p{L}\p{N}_./-]{1,500}))/gu;

export function mentionsIn(text: string): Mentions {
  const named = [...text.matchAll(MENTION)].map(([, quoted, bare = '']) => quoted ?? bare.replace(/\.+$/, ''));
  const paths = [...new Set(named)].filter((path) => path.trim() !== '');
  const leadsOut = (path: string) => path.startsWith('/') || path.split('/').includes('..');
  return { inside: paths.filter((path) => !leadsOut(path)), outside: paths.filter(leadsOut) };
}

/** What fills `{{paths}}` and `{{more}}` of the reminder; undefined when nothing was mentioned that can be read. */
export function reminderOf({ inside, outside }: Mentions): { paths: string; more: string } | undefined {
  if (inside.length === 0) return undefined;
  const rest = inside.length - MOST_NAMED;
  const left = outside.slice(0, MOST_NAMED).join(', ');
  return {
    paths: inside.slice(0, MOST_NAMED).join(', '),
    more: [
      ...(rest > 0 ? [` (and ${rest} more…)`] : []),
      ...(outside.length > 0 ? [` (outside of the run, so left out: ${left})`] : []),
    ].join(''),
  };
}

/** Zod's issues as sentences that name the path in the file. */
import type { z } from 'zod';

type ZodIssue = z.core.$ZodIssue;

/** `<pointer>: <message>` per issue; of a union the nearest variant. `known` are valid keys. */
export function schemaIssues(error: z.ZodError, known: readonly string[] = []): string[] {
  return error.issues.flatMap((issue) => describeIssue(issue, [], known));
}

function describeIssue(issue: ZodIssue, prefix: readonly PropertyKey[], known: readonly string[]): string[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'invalid_union') {
    const nearest = issue.errors.toSorted((a, b) => measureDepth(b) - measureDepth(a) || a.length - b.length)[0];
    // When a value fits no variant at all, the union may have its own message about what it accepts.
    const isOwn = issue.message !== 'Invalid input' && nearest !== undefined && measureDepth(nearest) === 0;
    if (!isOwn && nearest !== undefined && nearest.length > 0)
      return nearest.flatMap((inner) => describeIssue(inner, path, known));
  }
  const place = `/${path.map(String).join('/')}: ${issue.message}`;
  if (issue.code !== 'unrecognized_keys') return [place];
  // A key that is right elsewhere is not misspelled, and to propose it again helps nobody.
  const elsewhere = issue.keys.filter((key) => known.includes(key));
  const meant = issue.keys.filter((key) => !known.includes(key)).flatMap((key) => nearestWord(key, known) ?? []);
  return [
    [
      place,
      ...(elsewhere.length === 0 ? [] : [`${quoteKeys(elsewhere)} has its place elsewhere in the file, not here`]),
      ...(meant.length === 0 ? [] : [`did you mean ${quoteKeys(meant)}?`]),
    ].join('; '),
  ];
}

function quoteKeys(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(', ');
}

/** Measures how deep a variant matches before it fails. */
function measureDepth(issues: readonly ZodIssue[]): number {
  return Math.min(...issues.map((issue) => (issue.code === 'unrecognized_keys' ? 1 : issue.path.length)));
}

/** Returns undefined when the nearest word is more than one change per three letters away, or more than three. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(3, Math.ceil(word.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, changes: changesBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ changes }) => changes <= most)
    .toSorted((a, b) => a.changes - b.changes);
  return ranked[0]?.candidate;
}

/** Counts the letters inserted, removed or replaced (Levenshtein distance). */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a.slice(0, 64)).entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const same = letter === b[j] ? 0 : 1;
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Suggests the known word that is nearest to an unknown one. */

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

/** The words of a text that carry its meaning, for heuristics that compare wording. */

const FILLERS = new Set(
  'about above after also always among been before being both cannot does each every from have having into less more most must never none only other over shall should some such than that their them then there these they this those under unless until upon were what when where which while will with within without would your'.split(
    ' ',
  ),
);

/** Lower case, at least four letters (or any run of letters in a script without spaces), no fillers. */
export function significantWords(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.filter((word) => (word.length >= 4 || /[^\p{ASCII}]/u.test(word)) && !FILLERS.has(word));
}

/** Forms of one word by their beginning, such as "book" and "booked", "issue" and "issuing". */
export function areForms(one: string, other: string): boolean {
  const shared = Math.max(4, Math.min(one.length, other.length) - 1);
  const mostEnding = 3;
  return (
    one === other ||
    (Math.abs(one.length - other.length) <= mostEnding && one.slice(0, shared) === other.slice(0, shared))
  );
}

/** What the agent asks its reviewer: each question once, without the number that it brought along. */

const NUMBER = /^\s*(?:(?:Q|question)\s*\d+\s*[.):]?|\d+\s*[.):]|[-*•])\s+/i;
/** A shorter text may be the beginning of many. */
const LEAST_SAME = 20;

/** The same question in the file and in the submission is one, and the fuller wording is used. */
export function packQuestions(...lists: readonly (readonly string[])[]): string[] {
  const unique: { question: string; key: string }[] = [];
  for (const text of lists.flat()) {
    const question = text.trim().replace(NUMBER, '').trim();
    const key = keyOf(question);
    const same = unique.find((one) => isSame(one.key, key));
    if (same === undefined) unique.push({ question, key });
    else if (key.length > same.key.length) Object.assign(same, { question, key });
  }
  return unique.map(({ question }) => question).filter((question) => question !== '');
}

/** Its letters and digits: no punctuation, no case. */
function keyOf(question: string): string {
  return question
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function isSame(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other].toSorted((a, b) => a.length - b.length);
  return short === long || (short.length >= LEAST_SAME && ` ${long} `.includes(` ${short} `));
}

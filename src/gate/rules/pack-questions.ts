/** Lists the agent's questions for its reviewer, each once and without its own number. */
import { toPlainWords } from '../../scenario/language/fold-text.ts';

const NUMBER = /^\s*(?:(?:Q|question)\s*\d+\s*[.):]?|\d+\s*[.):]|[-*•])\s+/i;
/** The fewest characters for matching by a common beginning; a shorter text may begin many questions. */
const LEAST_SAME = 20;

/** Merges the questions of the file and the submission; of two equal questions the fuller wording stays. */
export function packQuestions(...lists: readonly (readonly string[])[]): string[] {
  const unique: { question: string; key: string }[] = [];
  for (const text of lists.flat()) {
    const question = text.trim().replace(NUMBER, '').trim();
    const key = toPlainWords(question);
    const same = unique.find((one) => isSame(one.key, key));
    if (same === undefined) unique.push({ question, key });
    else if (key.length > same.key.length) Object.assign(same, { question, key });
  }
  return unique.map(({ question }) => question).filter((question) => question !== '');
}

function isSame(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other].toSorted((a, b) => a.length - b.length);
  return short === long || (short.length >= LEAST_SAME && ` ${long} `.includes(` ${short} `));
}

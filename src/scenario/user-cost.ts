/** Estimates the cost of a simulated user, with a bound that holds whatever is said. */
import type { Brief } from './brief.ts';

/** US dollars per million tokens. */
type Price = { input: number; output: number };

export type UserCost = { about: number; atMost: number };

/** Tokens of the prompt with a sample's user, of a subject's message to its user, and of one answer. */
const TYPICAL = { prompt: 700, said: 90, answer: 45 };

/** Costs the user of `trials` trials: about half of the subject's steps address the user, and at most all of them. */
export function userCost({ subject, user }: Pick<Brief, 'subject' | 'user'>, trials: number, price: Price): UserCost {
  const about = estimateTokens(Math.ceil(subject.max_steps / 2), TYPICAL);
  const most = { prompt: TYPICAL.prompt, said: subject.max_tokens, answer: user.max_tokens };
  const dollars = ({ input, output }: ReturnType<typeof estimateTokens>): number =>
    (trials * (input * price.input + output * price.output)) / 1_000_000;
  return { about: dollars(about), atMost: dollars(estimateTokens(subject.max_steps, most)) };
}

/** Counts tokens; each call sends everything that was said before. */
function estimateTokens(answers: number, { prompt, said, answer }: typeof TYPICAL): { input: number; output: number } {
  const before = ((said + answer) * answers * (answers - 1)) / 2;
  return { input: answers * (prompt + said) + before, output: answers * answer };
}

/** What a user that a model plays will cost: an estimate, and a bound that holds whatever is said. */
import type { Brief } from './brief.ts';

/** US dollars per million tokens. */
type Price = { input: number; output: number };

export type UserCost = { about: number; atMost: number };

/** Tokens of the prompt with a sample's user in it, of what a subject says to its user, and of one answer. */
const TYPICAL = { prompt: 700, said: 90, answer: 45 };

/** Of so many trials with such a user. Half of a subject's steps speak to the user in an ordinary conversation, all of them at most. */
export function userCost({ subject, user }: Pick<Brief, 'subject' | 'user'>, trials: number, price: Price): UserCost {
  const about = conversation(Math.ceil(subject.max_steps / 2), TYPICAL);
  const most = { prompt: TYPICAL.prompt, said: subject.max_tokens, answer: user.max_tokens };
  const dollars = ({ input, output }: ReturnType<typeof conversation>): number =>
    (trials * (input * price.input + output * price.output)) / 1_000_000;
  return { about: dollars(about), atMost: dollars(conversation(subject.max_steps, most)) };
}

/** Each call sends all that was said before. */
function conversation(answers: number, { prompt, said, answer }: typeof TYPICAL): { input: number; output: number } {
  const before = ((said + answer) * answers * (answers - 1)) / 2;
  return { input: answers * (prompt + said) + before, output: answers * answer };
}

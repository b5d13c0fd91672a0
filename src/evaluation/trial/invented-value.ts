/** Holds an answer of a model-played user against its sample and the talk: values that nobody told it, a yes that nobody asked for. */
import { listAmounts } from '../../scenario/language/amounts.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { holdsValue, splitSentences } from '../../scenario/language/split-text.ts';
import { isUntimely, waitsForAnswer, type KnownSample } from '../chooser/content-words.ts';
import { isYesOrNo, saysYes } from '../scripted-user/sentences.ts';
import { closesTalk, isQuestion, mayAskForConsent } from '../scripted-user/read-message.ts';

/** Shorter numbers may be a count, a day or a time that is known in words. */
const LONG_NUMBER = /\d{3,}/g;
const ADDRESS = /[^\s<>()"']+@[^\s<>()"',;]+[^\s<>()"',;.!?]/g;

/** Returns the first long number, e-mail address or amount of money that is not in the known text, however its digits are grouped. */
export function findInventedValue(text: string, known: string): string | undefined {
  const [said, told] = [foldText(text), foldText(known)];
  const digits = told.replaceAll(/\D/g, '');
  const amounts = listAmounts(text).map((value) => `${Math.trunc(value)}`);
  return (
    said.match(ADDRESS)?.find((address) => !told.includes(address)) ??
    [...(said.match(LONG_NUMBER) ?? []), ...amounts].find((number) => !digits.includes(number))
  );
}

export type HeldAnswer = {
  text: string;
  /** The answer has the mark of an end. */ isEnd: boolean;
  said: string;
  hasActed: boolean;
  user: KnownSample['user'];
  /** What both have said, and what tools have answered. */ talk: string;
};

/** Returns why an answer may not be said; what no rules read is judged by its values alone. */
export function findAnswerFault({ text, isEnd, said, hasActed, user, talk }: HeldAnswer): string | undefined {
  if (/<\/?[\p{L}_]+>/u.test(text)) return 'the user says nothing in angle brackets, and none of its thinking';
  if (isEnd && text === '' && waitsForAnswer(said, hasActed, user)) return 'the agent still waits for an answer';
  const invented = findInventedValue(text, `${JSON.stringify(user)}\n${talk}`);
  if (invented !== undefined) return `nobody told the user ${invented}`;
  const asked = splitSentences(said);
  const offer = splitSentences(text).find((one) => isQuestion(one) && (closesTalk(one) || asked.includes(one)));
  if (offer !== undefined) return `"${offer}" is a question of the agent`;
  const told = Object.entries(user.knows).filter(([, value]) => !isYesOrNo(value) && holdsValue(text, value));
  const early = told.find(([key, value]) => !holdsValue(`${user.says_first}\n${talk}`, value) && isUntimely(key, said));
  if (early !== undefined) return `the agent did not ask for "${early[0]}"`;
  const yes = splitSentences(text).find((sentence) => isYesOrNo(sentence) && saysYes(sentence));
  if (yes === undefined) return undefined;
  if (isEnd) return `"${yes}" is a yes, and the user must stay for what comes of it`;
  return asked.some(mayAskForConsent) ? undefined : `"${yes}" is a yes, and the agent asked for none`;
}

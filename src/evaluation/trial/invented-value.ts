/** Holds an answer of a model-played user against its sample and the talk: values that nobody told it, a yes that nobody asked for. */
import { listAmounts } from '../../scenario/language/amounts.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { splitSentences } from '../../scenario/language/split-text.ts';
import { isYesOrNo, saysYes } from '../scripted-user/sentences.ts';
import { mayAskForConsent } from '../scripted-user/read-message.ts';

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
  known: string;
};

/** Returns why an answer may not be said; what no rules read is judged by its values alone. */
export function findAnswerFault({ text, isEnd, said, known }: HeldAnswer): string | undefined {
  const invented = findInventedValue(text, known);
  if (invented !== undefined) return `nobody told the user ${invented}`;
  const yes = splitSentences(text).find((sentence) => isYesOrNo(sentence) && saysYes(sentence));
  if (yes === undefined) return undefined;
  if (isEnd) return `"${yes}" is a yes, and the user must stay for what comes of it`;
  return splitSentences(said).some(mayAskForConsent) ? undefined : `"${yes}" is a yes, and the agent asked for none`;
}

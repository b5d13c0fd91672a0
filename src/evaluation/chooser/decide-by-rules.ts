/** Answers a question for consent without a model: a yes only to what is understood word by word. */
import { findAmountInWords, listAmounts } from '../../scenario/language/amounts.ts';
import { toPlainWords } from '../../scenario/language/fold-text.ts';
import { isUnspaced, splitSentences } from '../../scenario/language/split-text.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { findLanguage, isFiller, joinWords } from '../scripted-user/languages.ts';
import { isNegated, readMeaning, type Meaning } from '../scripted-user/meaning.ts';
import { dropYesOrNo, type Question } from '../scripted-user/read-message.ts';
import { isSentence, isYesOrNo, saysYes } from '../scripted-user/sentences.ts';
import {
  dropNames,
  findNewNumber,
  isHeld,
  isPartOf,
  type KnownTalk,
  listKnown,
  readContent,
  readNumbers,
} from './content-words.ts';
import { choose, isDecision, type TurnToChoose } from './menu.ts';

/** A yes is given where the sample names it, where all that is asked for is the sample's, and where no number is new. */
export function decideByRules(question: Question, sentences: readonly string[], turn: TurnToChoose): ChosenMove[] {
  const { sample, menu } = turn;
  const at = sentences.indexOf(question.text);
  const context = sentences.slice(Math.max(0, at - 2), at + 1);
  const heard = readMeaning(context.join(' '));
  const named = Object.entries(sample.user.knows)
    .filter(([key, value]) => {
      if (isDecision(key, value, sample.user.says_first)) return true;
      return isSentence(value) && isNamed(key, context.join(' '));
    })
    .map(([key, value]) => ({ key, value, meaning: new Set(readContent(key)) }));
  const [best] = named
    .filter(({ meaning }) => isHeld([...meaning], [...heard]))
    .toSorted((a, b) => b.meaning.size - a.meaning.size);
  if (best !== undefined) {
    const isYes = saysYes(best.value) || (!isYesOrNo(best.value) && !isSentence(best.value));
    // "Shall I waive the fee?" asks for no consent to the fee.
    const isMeant = !isNamed(best.key, question.text) || listUnknown(question.text, turn).length === 0;
    if (isYesOrNo(best.value) && (isDoubted(question) || QUANTITY.test(turn.said) || !isMeant)) return [];
    if (isYes && (question.kind === 'yes-no' || !isAgreed(question, context, { ...turn, about: best.meaning })))
      return [];
    const move = menu.find(({ id }) => id === `decide:${best.key}` || id === `tell:${best.key}`);
    return move === undefined ? [] : [choose(move, question.text)];
  }
  if (question.kind === 'consent' && named.some(({ key, value }) => saysYes(value) && isRaised(key, context)))
    return menu.filter(({ kind }) => kind === 'refuse').map((move) => choose(move, question.text));
  const plain = named.find(({ meaning, value }) => meaning.size === 0 && isYesOrNo(value));
  const move = menu.find(({ id }) => id === (plain === undefined ? 'agree' : `decide:${plain.key}`));
  const isRefusal = plain !== undefined && !saysYes(plain.value);
  if (move === undefined || question.kind !== 'consent' || isDoubted(question)) return [];
  return isRefusal || isAgreed(question, context, { ...turn, about: new Set() }) ? [choose(move, question.text)] : [];
}

/** A yes to "do you not agree?" may mean either. */
const isDoubted = ({ text }: Question): boolean => isNegated(dropYesOrNo(text));

/** True when the very thing that is agreed to is named with a higher number, and with no other. */
function isRaised(key: string, context: readonly string[]): boolean {
  const [agreed, asked] = [readNumbers(key), readNumbers(context.join(' '))].map((numbers) => [...numbers]);
  if (agreed?.length !== 1 || asked?.length !== 1 || Number(asked[0]) <= Number(agreed[0])) return false;
  return isNamed(key.replaceAll(/\d+(?:[.,]\d+)?/g, ' '), context.join(' '));
}

type AgreedMatter = KnownTalk & { about: Meaning; said: string };
const QUANTITY = new RegExp(joinWords('quantities'), 'iu');

/** True when the question asks for nothing that the sample does not speak of, and what leads to it holds no new number. */
function isAgreed({ text }: Question, context: readonly string[], matter: AgreedMatter): boolean {
  const { sample, about, said } = matter;
  const heard = context.join(' ');
  if (findNewNumber(heard, matter) !== undefined || findAmountInWords(said) !== undefined) return false;
  if (listFacts(sample).some(([key]) => isNamed(key, text)) || QUANTITY.test(said)) return false;
  const asked = readContent(dropNames(text, matter));
  const paid = splitSentences(said).filter((one) => listAmounts(one).length > 0);
  if ([text, ...paid].some((one) => listUnknown(one, matter).length > 0)) return false;
  // "Do you confirm that …" asks for a fact, and not for consent to an act of the subject.
  if (asked.length > 0 && findLanguage(text)?.ownAct.test(text) !== true) return false;
  return asked.length > 0 || about.size > 0;
}

/** Lists the words of a text that neither the sample speaks of nor grammar needs. */
export function listUnknown(text: string, talk: KnownTalk): string[] {
  const known = readContent(listKnown(talk.sample));
  const words = readContent(dropNames(text, talk));
  return words.filter((word) => !isFiller(word) && !known.some((own) => isPartOf(word, own)));
}

export function listFacts({ user }: KnownTalk['sample']): [key: string, value: string][] {
  return Object.entries(user.knows).filter(([key, value]) => !isDecision(key, value, user.says_first));
}

/** True when the question holds every word of the name, in any of its forms. */
export function isNamed(name: string, text: string): boolean {
  if (isUnspaced(name)) return toPlainWords(text).includes(toPlainWords(name));
  return isHeld([...readMeaning(name)], [...readMeaning(text)]);
}

/** Answers a question for consent without a model: a yes only to what is understood word by word. */
import { findAmountInWords, listAmounts } from '../../scenario/language/amounts.ts';
import { splitSentences } from '../../scenario/language/split-text.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { findLanguage, GRAMMAR } from '../scripted-user/languages.ts';
import { isNegated, readMeaning } from '../scripted-user/meaning.ts';
import { dropYesOrNo, type Question } from '../scripted-user/read-message.ts';
import { isSentence, isYesOrNo, saysYes } from '../scripted-user/sentences.ts';
import { isYes, isYesOrNoMove } from './check-choice.ts';
import { dropNames, findNewNumber, isHeld, isNamed, listUnknown, readContent, readNumbers } from './content-words.ts';
import { choose, isDecision, NONE, WISH, type Move, type TurnToChoose } from './menu.ts';

/** A yes is given where the sample names it, where all that is asked for is the sample's, and where no number is new. */
export function decideByRules(question: Question, sentences: readonly string[], turn: TurnToChoose): ChosenMove[] {
  const { menu, said } = turn;
  const { knows } = turn.sample.user;
  const isConsent = question.kind === 'consent';
  const at = sentences.indexOf(question.text);
  const context = sentences.slice(Math.max(0, at - 2), at + 1);
  const led = context.join(' ');
  const named = Object.entries(knows)
    .filter(([key, value]) => isDecision(key, value, turn.sample.user) || (isSentence(value) && isNamed(key, led)))
    .map(([key, value]) => ({ key, value, meaning: readContent(key) }));
  const fitting = named
    .filter(({ meaning }) => isHeld(meaning, [...readMeaning(led)]))
    .toSorted((a, b) => b.meaning.length - a.meaning.length);
  const [best, rival] = fitting.length > 0 ? fitting : named.filter(({ meaning }) => isConsent && meaning.length === 0);
  if (best === undefined && isConsent && named.some(({ key, value }) => saysYes(value) && isRaised(key, led)))
    return menu.filter(({ kind }) => kind === 'refuse').map((move) => choose(move, question.text));
  const isBare = best === undefined || isYesOrNo(best.value);
  // A yes to "do you not agree?" may mean either, and "shall I waive the fee?" asks for no consent to the fee.
  const isMeant = !isNamed(best?.key ?? '', question.text) || listUnknown(question.text, turn).length === 0;
  if (isBare && (isNegated(dropYesOrNo(question.text)) || !isMeant)) return [];
  if (rival?.meaning.length === best?.meaning.length && saysYes(rival?.value ?? '') !== saysYes(best?.value ?? ''))
    return [];
  const isYes = best === undefined || saysYes(best.value) || !(isBare || isSentence(best.value));
  if (isYes && !(isConsent && isAgreed(question.text, context, turn))) return [];
  if (isYes && isBare && GRAMMAR.quantities.test(said)) return [];
  if (best === undefined && readContent(question.text).length === 0) return [];
  const ids = best === undefined ? ['agree'] : [`decide:${best.key}`, `tell:${best.key}`];
  return menu.filter(({ id }) => ids.includes(id)).map((move) => choose(move, question.text));
}

/** True when the very thing that is agreed to is named with a higher number, and with no other. */
function isRaised(key: string, led: string): boolean {
  const [agreed, asked] = [readNumbers(key), readNumbers(led)].map((numbers) => [...numbers]);
  if (agreed?.length !== 1 || asked?.length !== 1 || Number(asked[0]) <= Number(agreed[0])) return false;
  return isNamed(key.replaceAll(/\d+(?:[.,]\d+)?/g, ' '), led);
}

/** True when the question asks for nothing that the sample does not speak of, and what leads to it holds no new number. */
function isAgreed(text: string, context: readonly string[], turn: TurnToChoose): boolean {
  const { sample, said } = turn;
  if (findNewNumber(context.join(' '), turn) !== undefined || findAmountInWords(said) !== undefined) return false;
  if (listFacts(sample).some(([key]) => isNamed(key, text))) return false;
  const isEmpty = readContent(dropNames(text, turn)).length === 0;
  // "Is that all right?" is about the sentence before it.
  const about = context.filter((one, at) => one === text || (isEmpty && at === context.length - 2));
  const paid = splitSentences(said).filter((one) => listAmounts(one).length > 0);
  if ([...about, ...paid].some((one) => listUnknown(one, turn).length > 0)) return false;
  // "Do you confirm that …" asks for a fact, and not for consent to an act of the subject.
  return isEmpty || findLanguage(text)?.ownAct.test(text) === true;
}

export function listFacts({ user }: TurnToChoose['sample']): [key: string, value: string][] {
  return Object.entries(user.knows).filter(([key, value]) => !isDecision(key, value, user));
}

/** An offer that comes again is declined where the sample holds no yes at all; elsewhere it may be the wish, which is said again. */
export function answerOffer(offer: string, turn: TurnToChoose): ChosenMove {
  const mayRepeat = findNewNumber(turn.said, turn) === undefined;
  const fitting = turn.menu.find((move) => (holdsYes(turn) ? mayRepeat && move === WISH : move.kind === 'refuse'));
  return choose(fitting ?? NONE, offer);
}

/** True while gold has an act to come, or a yes of the sample was not said. */
function holdsYes({ sample, menu, state, isDone }: TurnToChoose): boolean {
  const isOpen = ({ id, kind }: Move): boolean => ['decide', 'tell'].includes(kind) && !state.said.has(id);
  const mayAct = !isDone && sample.gold.some((step) => 'tool' in step);
  return mayAct || menu.some((move) => isOpen(move) && isYesOrNoMove(move) && isYes(move, sample));
}

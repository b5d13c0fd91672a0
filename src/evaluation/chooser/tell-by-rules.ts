/** Tells what is asked for: each thing that a message asks for is told, or asked back by name. */
import { foldText } from '../../scenario/language/fold-text.ts';
import { listWords } from '../../scenario/language/split-text.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { GRAMMAR } from '../scripted-user/languages.ts';
import { isNegated } from '../scripted-user/meaning.ts';
import {
  announcesAct,
  asksForConsent,
  isQuestion,
  listOptions,
  type Question,
  type SubjectMessage,
} from '../scripted-user/read-message.ts';
import { isSentence } from '../scripted-user/sentences.ts';
import { MOST_MOVES } from './check-choice.ts';
import { isHeld, isNamed, listUnknown, readContent } from './content-words.ts';
import { listFacts } from './decide-by-rules.ts';
import { ASK, choose, listUntold, type TurnToChoose } from './menu.ts';

type Named = { name: string; /** The user knows it. */ isOwn: boolean; move: ChosenMove };

/** Finds what a sentence names; what the sample does not know may hold the name of what it knows: "the name of the doctor". */
export function findNamed(quote: string, { sample }: TurnToChoose): Named[] {
  const unknown = sample.user.does_not_know.filter((entry) => isNamed(entry, quote));
  const own = listFacts(sample).filter(
    ([key]) => isNamed(key, quote) && !unknown.some((entry) => isHeld(readContent(key), readContent(entry))),
  );
  // Names may differ in small words alone: "the first day away", "the last day away".
  const whole = own.map(([key]) => key).filter((key) => isHeld(listWords(key), listWords(quote)));
  const isOther = (key: string): boolean =>
    !whole.includes(key) && whole.some((one) => isHeld(readContent(key), readContent(one)));
  return [
    ...own.filter(([key]) => !isOther(key)).map(([name]) => ({ name, isOwn: true, move: tell(name, quote) })),
    ...unknown.map((name) => ({ name, isOwn: false, move: { move: `unknown:${name}`, quote } })),
  ];
}

const findClause = (name: string, text: string): string =>
  text.split(CLAUSE_END).find((one) => isNamed(name, one)) ?? text;

/** A question asks for what it names when it addresses the user, or holds no more than the name and words of asking. */
export function asksFor(name: string, { text, kind }: Question, turn: TurnToChoose): boolean {
  const clause = findClause(name, text);
  const unknown = turn.sample.user.does_not_know.flatMap((entry) => readContent(entry));
  const other = listUnknown(clause, turn).filter((word) => !isHeld([word], unknown));
  if ((GRAMMAR.already.test(clause) && !text.endsWith(clause)) || isOthers(clause, turn)) return false;
  // "Shall I change the address?" asks for no address, and "may it have no name?" for no name.
  if (kind === 'consent' && (other.length > 0 || isNegated(clause))) return false;
  return other.length < 2 || ((kind === 'fact' || GRAMMAR.needs.test(clause)) && GRAMMAR.addresses.test(text));
}

/** True for a thing of somebody else. A name such as "length of the hedge" says whose nothing is. */
function isOthers(clause: string, turn: TurnToChoose): boolean {
  const { knows, does_not_know: others } = turn.sample.user;
  const names = [...Object.keys(knows), ...others];
  const rest = names.reduce((text, name) => text.replaceAll(foldText(name), '_'), foldText(clause));
  return (
    (GRAMMAR.possessors.test(rest) && listUnknown(clause, turn).length > 0) ||
    (GRAMMAR.others.test(rest) && !GRAMMAR.addresses.test(rest))
  );
}

/** Two things that are asked for are told both, or one is asked back by name, once: the user may know it by another name. */
export function askForRest(
  moves: readonly ChosenMove[],
  { open, sentences }: { open: readonly Question[]; sentences: readonly string[] },
  turn: TurnToChoose,
): ChosenMove[] {
  const { state, said, menu, sample } = turn;
  const items = said.split('\n').filter((line) => LIST_ITEM.test(line));
  const names = moves.map(({ move }) => move.slice(move.indexOf(':') + 1));
  const mayAsk = menu.includes(ASK) && listUntold(sample.user, state).some((key) => !names.includes(key));
  const isUnnamed = (part: string): boolean => {
    const others = findNamed(part, turn).filter(
      ({ name, move }) => !names.includes(name) && !state.said.has(move.move),
    );
    if (announcesAct(part) && !asksForConsent(part)) return false;
    if (others.some(({ name }) => !isDenied(name, part))) return true;
    return !names.some((name) => isNamed(name, part)) && listUnknown(part, turn).length > 0;
  };
  // "Who is speaking? Please tell me your name." asks for one thing.
  const isSaidAgain = (text: string): boolean => {
    const next = sentences[sentences.indexOf(text) + 1] ?? '';
    return !isQuestion(next) && !GRAMMAR.besides.test(next) && moves.some(({ quote }) => quote === next);
  };
  const isOpen =
    items.some(isUnnamed) ||
    open.some(({ kind, text }) => kind === 'fact' && isUnnamed(text) && !isSaidAgain(text)) ||
    moves.some(({ quote }) => listOptions(quote).length < 2 && quote.split(GRAMMAR.joins).some(isUnnamed));
  const isTelling = moves.every(({ move }) => /^(?:tell|unknown):/.test(move));
  return isTelling && mayAsk && isOpen ? [...moves.slice(0, MOST_MOVES - 1), choose(ASK)] : moves.slice(0, MOST_MOVES);
}

export const tell = (key: string | undefined, quote: string): ChosenMove => ({ move: `tell:${key}`, quote });

/**
 * What a message without a question names in full, and nobody has said: "the order number is still missing". A sentence is
 * an objection to what is named, and is made after an act as well. "I have the e-mail, the order number is missing" and "I do not
 * need it" name what is not needed: where that may be so it is asked back first.
 */
export function tellNeeded({ sentences }: SubjectMessage, turn: TurnToChoose): ChosenMove[] {
  const { sample, state, hasActed, menu } = turn;
  const untold = listUntold(sample.user, state);
  const needed = sentences
    .flatMap((text) => findNamed(text, turn))
    .filter(({ name, isOwn, move }) => {
      const isTold = isObjection(name, turn) || (isOwn && state.said.has(ASK.id) && !hasActed);
      if (isOwn ? !untold.includes(name) : state.said.has(move.move)) return false;
      return (isTold || isNeeded(move.quote, sentences)) && !isOthers(findClause(name, move.quote), turn);
    });
  // A sentence that names more things than it joins tells what one of them has to do with another.
  const isListed = ({ quote }: ChosenMove): boolean =>
    needed.filter(({ move }) => move.quote === quote).length <=
    quote.split(CLAUSE_END).flatMap((one) => one.split(GRAMMAR.joins)).length;
  const sure = needed.filter(
    ({ name, move }) => isObjection(name, turn) || (isListed(move) && !isDenied(name, move.quote)),
  );
  if (sure.length === 0 && needed.length > 0 && menu.includes(ASK)) return [choose(ASK)];
  return dropDoubles((sure.length > 0 ? sure : needed).map(({ move }) => move));
}

const isObjection = (name: string, { sample }: TurnToChoose): boolean => isSentence(sample.user.knows[name] ?? '');

export const dropDoubles = (moves: readonly ChosenMove[]): ChosenMove[] =>
  moves.filter(({ move }, at) => moves.findIndex((one) => one.move === move) === at);

/** What a list names is needed when the line that leads to it says so. */
const isNeeded = (text: string, sentences: readonly string[]): boolean =>
  GRAMMAR.needs.test(text) ||
  sentences.some((one) => /[:：]$/.test(one) && (GRAMMAR.needs.test(one) || asksForConsent(one)));

/** "I have the address, and do not need the name": where one thing is set against another it is not clear what is needed. */
export function isDenied(name: string, sentence: string): boolean {
  const clause = findClause(name, sentence);
  const isApart = GRAMMAR.needs.test(clause) || asksForConsent(clause);
  return [clause, ...(isApart ? [] : [sentence])].some((one) => GRAMMAR.already.test(one) || isNegated(one));
}

const LIST_ITEM = /^\s*(?:[-*•–]|\d+[.)、])/;
export const CLAUSE_END = /[,，;；:：]/;

/** Chooses moves in a language that no rules read, by what every script shows: question marks, and the sample's own words. */
import { holdsValue, isUnspaced, listWords, splitSentences } from '../../scenario/language/split-text.ts';
import { toPlainWords } from '../../scenario/language/fold-text.ts';
import { areWordForms, shareStem, shareStems } from '../../scenario/language/word-forms.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { isNegated } from '../scripted-user/meaning.ts';
import { isQuestion } from '../scripted-user/read-message.ts';
import { findChoiceFault, MOST_MOVES } from './check-choice.ts';
import { dropNames, findNewNumber, isHeld, listKnown, readNumbers } from './content-words.ts';
import { ASK, choose, END, findOffered, NONE, WAIT, type Move, type TurnToChoose } from './menu.ts';
import { CLAUSE_END } from './tell-by-rules.ts';

/** In scripts with spaces, shorter words are seldom what a text is about. */
const LEAST_LETTERS = 4;

/** A statement is waited for once, because a request may be one too. */
export function chooseByStructure(turn: TurnToChoose): ChosenMove[] {
  const { said, menu, state, isDone, isOver } = turn;
  const sentences = splitSentences(said);
  const questions = sentences.filter(isQuestion);
  const moves = [
    ...questions.flatMap((text, index) => {
      const decided = decide(text, sentences[sentences.indexOf(text) - 1] ?? '', turn);
      if (index === 0 && questions.length === 1 && decided.length > 0) return decided;
      const named = findNamed(text, turn);
      return named.length > 0 ? named : findByStems(text, turn);
    }),
    ...(questions.length > 0 || isOver ? [] : sentences.flatMap((text) => findAsked(text, turn))),
  ];
  const allowed = moves.filter((one) => findChoiceFault({ ...turn, moves: [one] }) === undefined);
  const found = [...new Map(allowed.map((one) => [one.move, one])).values()].slice(0, MOST_MOVES);
  if (found.length > 0) return found;
  if (isOver || (questions.length === 0 && (isDone || isFinished(sentences, turn)))) return [choose(END)];
  const [asked] = questions;
  if (asked === undefined) return [choose(state.waits === 0 || state.hasAgreed ? WAIT : NONE)];
  const offered = findOffered(turn);
  return [offered === undefined ? choose(menu.includes(ASK) ? ASK : NONE) : choose(offered, asked)];
}

/**
 * True when a sentence is made of nothing but the words for which the user waits. After an act they may have other endings, or the
 * last three of them and more begin a clause: "that's it, the appointment is confirmed for Friday".
 */
function isFinished(sentences: readonly string[], { sample: { user }, hasActed }: TurnToChoose): boolean {
  const wanted = listWords(user.stops_when);
  if (sentences.map(listTelling).some((words) => words.length > 1 && isHeld(words, wanted))) return true;
  if (!hasActed) return false;
  const tails = wanted.slice(3).map((_, at) => `${wanted.slice(at + 1).join(' ')} `);
  const clauses = sentences.flatMap((text) => text.split(CLAUSE_END)).map((text) => `${listWords(text).join(' ')} `);
  const isAkin = sentences.map(listWords).some((words) => words.length > 1 && shareStems(words, wanted));
  return isAkin || clauses.some((one) => tails.some((tail) => one.startsWith(tail)));
}

/** Finds what the sentence names in full and nobody has said: facts, and what the user does not know. */
function findNamed(text: string, turn: TurnToChoose): ChosenMove[] {
  const named = listUnsaid(turn).filter((move) => isNamed(readName(move), text));
  const whole = named.filter((move) => isHeld(listWords(readName(move)), listWords(text)));
  return (whole.length > 0 ? whole : named).map((move) => choose(move, text));
}

/**
 * A sentence that begins with the name of a thing and goes on for more than the words of asking ("회원 번호를 알려 주세요") says something
 * about it, and is waited for once, as others are.
 */
function findAsked(text: string, turn: TurnToChoose): ChosenMove[] {
  const named = findNamed(text, turn);
  const names = named.flatMap(({ move }) => listWords(move.slice(move.indexOf(':') + 1)));
  const isName = listWords(text).map((word) => names.some((name) => areWordForms(name, word)));
  const isAbout = isName.indexOf(true) < 2 && isName.length - 1 - isName.lastIndexOf(true) > 3;
  return isAbout && !isUnspaced(text) && turn.state.waits === 0 ? [] : named;
}

/** Finds facts whose names a question holds in words with other endings (`üye numarası` in "Üye numaranız nedir?"); two share none. */
function findByStems(text: string, turn: TurnToChoose): ChosenMove[] {
  const heard = listWords(text);
  const named = listUnsaid(turn).filter((move) => shareStems(listWords(readName(move)), heard));
  const words = named.flatMap((move) => listWords(readName(move)));
  const isSure = words.every((word, index) => !words.slice(index + 1).some((other) => shareStem(word, other)));
  return isSure || named.length === 1 ? named.map((move) => choose(move, text)) : [];
}

const readName = ({ id }: Move): string => id.slice(id.indexOf(':') + 1);

function listUnsaid({ menu, state, sample: { user } }: TurnToChoose): Move[] {
  return menu.filter((move) => {
    if ((move.kind !== 'tell' && move.kind !== 'unknown') || state.said.has(move.id)) return false;
    return move.kind === 'unknown' || !holdsValue(user.says_first, user.knows[readName(move)] ?? '');
  });
}

/**
 * A decision answers a question that is made of nothing but the sample's own words, with a number of the decision's own. What it
 * decides on may stand in the sentence before, when that is made of these words too: "The fee is 75 lira. Do you agree?"
 */
function decide(text: string, before: string, turn: TurnToChoose): ChosenMove[] {
  const { menu, sample } = turn;
  const known = listWords(listKnown(sample));
  if (isNegated(text) || !isHeld(listTelling(dropNames(text, turn)), known)) return [];
  if (findNewNumber(`${before} ${text}`, turn) !== undefined) return [];
  const isOwn = shareStems(listTelling(dropNames(before, turn)), known);
  const matter = isOwn ? `${before} ${text}` : text;
  const numbers = readNumbers(matter);
  const own = menu.filter((move) => {
    const name = readName(move);
    return (
      move.kind === 'decide' && isNamed(name, matter) && [...readNumbers(name)].every((number) => numbers.has(number))
    );
  });
  return own.length === 1 ? own.map((move) => choose(move, text)) : [];
}

function isNamed(name: string, text: string): boolean {
  if (isUnspaced(name)) return toPlainWords(text).includes(toPlainWords(name));
  return isHeld(listTelling(name), listWords(text));
}

/** The words of four letters and more, or all where there are none. */
function listTelling(text: string): string[] {
  const words = listWords(text).filter((word) => !/^\d/.test(word));
  const long = words.filter((word) => word.length >= LEAST_LETTERS || isUnspaced(word));
  return long.length > 0 ? long : words;
}

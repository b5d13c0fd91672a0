/** Chooses moves in a language that no rules read, by what every script shows: question marks, and the sample's own words. */
import { holdsValue, isUnspaced, listWords, splitSentences } from '../../scenario/language/split-text.ts';
import { toPlainWords } from '../../scenario/language/fold-text.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { isQuestion } from '../scripted-user/read-message.ts';
import { findNewNumber, isHeld, listKnown, readNumbers } from './content-words.ts';
import { ASK, END, findOffered, NONE, WAIT, type Move, type TurnToChoose } from './menu.ts';

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
      return index === 0 && questions.length === 1 && decided.length > 0 ? decided : findNamed(text, turn);
    }),
    ...(questions.length > 0 || isOver ? [] : sentences.flatMap((text) => findNamed(text, turn))),
  ];
  const found = [...new Map(moves.map((one) => [one.move, one])).values()].slice(0, 3);
  if (found.length > 0) return found;
  if (isOver || (questions.length === 0 && (isDone || isFinished(sentences, turn)))) return [choose(END)];
  const [asked] = questions;
  if (asked === undefined) return [choose(state.waits === 0 || state.hasAgreed ? WAIT : NONE)];
  const offered = findOffered(turn);
  return [offered === undefined ? choose(menu.includes(ASK) ? ASK : NONE) : choose(offered, asked)];
}

/** True when a sentence is made of nothing but the words for which the user waits. */
function isFinished(sentences: readonly string[], { sample: { user } }: TurnToChoose): boolean {
  const wanted = listWords(user.stops_when);
  return sentences.map(listTelling).some((words) => words.length > 1 && isHeld(words, wanted));
}

const choose = ({ id }: Move, quote = ''): ChosenMove => ({ move: id, quote });

/** Finds what the sentence names in full and nobody has said: facts, and what the user does not know. */
function findNamed(text: string, { menu, state, sample: { user } }: TurnToChoose): ChosenMove[] {
  return menu
    .filter(({ id, kind }) => {
      const name = id.slice(id.indexOf(':') + 1);
      if ((kind !== 'tell' && kind !== 'unknown') || state.said.has(id) || !isNamed(name, text)) return false;
      return kind === 'unknown' || !holdsValue(user.says_first, user.knows[name] ?? '');
    })
    .map((move) => choose(move, text));
}

/** A decision answers a question that is made of nothing but the sample's own words, with a number of the decision's own. */
function decide(text: string, before: string, { menu, sample }: TurnToChoose): ChosenMove[] {
  const known = listWords(listKnown(sample));
  if (!isHeld(listTelling(text), known) || findNewNumber(`${before} ${text}`, sample) !== undefined) return [];
  const own = menu.filter(({ id, kind }) => {
    const name = id.slice(id.indexOf(':') + 1);
    return (
      kind === 'decide' && isNamed(name, text) && [...readNumbers(name)].every((one) => readNumbers(text).has(one))
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

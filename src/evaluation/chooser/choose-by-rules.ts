/** Chooses moves without a model, and only what is sure: a sentence that could mean two things is answered with none. */
import { findLanguage, joinWords } from '../scripted-user/languages.ts';
import { beginsNegated, countNegations, readMeaning, type Meaning } from '../scripted-user/meaning.ts';
import {
  announcesAct,
  asksForConsent,
  closesTalk,
  dropYesOrNo,
  listOptions,
  offersChoice,
  readMessage,
  type Question,
  type SubjectMessage,
} from '../scripted-user/read-message.ts';
import { isSentence, isYesOrNo, saysYes } from '../scripted-user/sentences.ts';
import { findAmountInWords } from '../../scenario/language/amounts.ts';
import { toPlainWords } from '../../scenario/language/fold-text.ts';
import { holdsValue, isUnspaced } from '../../scenario/language/split-text.ts';
import { canCompareWords } from '../../scenario/language/word-forms.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { chooseByStructure } from './choose-by-structure.ts';
import {
  dropNames,
  findNewNumber,
  isHeld,
  isPartOf,
  type KnownTalk,
  listConsented,
  listKnown,
  readContent,
  readNumbers,
} from './content-words.ts';
import { AGAIN, ALL, ASK, choose, END, findOffered, isDecision, NONE, WAIT, type TurnToChoose } from './menu.ts';

type OpenQuestion = { question: Question; moves: readonly ChosenMove[] };

/** Messages without a question and without an act for which the user waits. */
const MOST_WAITS = 3;

export function chooseByRules(turn: TurnToChoose): ChosenMove[] {
  const { said, sample, hasActed, isDone, isOver } = turn;
  if (!isRead(said, sample.user.says_first)) return chooseByStructure(turn);
  const message = readMessage(said);
  const asked = message.questions.filter(({ kind }) => kind !== 'more');
  const found = asked.map((question) => ({ question, moves: findMoves(question, message.sentences, turn) }));
  const moves = [...new Map(found.flatMap((one) => one.moves).map((one) => [one.move, one])).values()];
  // After an act, or a yes, "please keep the ticket" needs no answer; before it, it may ask for anything.
  const needsNothing = hasActed || (turn.state.hasAgreed && turn.state.waits === 0);
  const open = found.filter(
    ({ question, moves: own }) => own.length === 0 && !(question.kind === 'request' && needsNothing),
  );
  const consents = asked.filter(({ kind }) => kind === 'consent');
  // With two questions for consent no yes says which of them it answers.
  const isMixed = consents.length > 1 && moves.some(({ move }) => /^(?:decide|agree)/.test(move));
  if (moves.length > 0 && !isMixed) return moves.slice(0, 3);
  if (isMixed || (open.length > 0 && !isOver && !isFinished(sample, message))) return [answerNothing(open, turn)];
  const needed = message.holds ? [] : tellNeeded(message, turn);
  if (needed.length > 0) return needed;
  if (!hasActed && !isDone && message.isStatement && NUMBERED.test(said)) return [answerNothing([], turn)];
  return [choose(waitsOn(turn, message) ? WAIT : END)];
}

/** A question that no move answers: all that the user knows is told, or it asks back, once, with the names of what it can tell. */
function answerNothing(open: readonly OpenQuestion[], turn: TurnToChoose): ChosenMove {
  const { menu } = turn;
  const isForFacts = open.length > 0 && open.every(({ question: { kind } }) => kind === 'fact' || kind === 'yes-no');
  const offered = isForFacts ? findOffered(turn) : undefined;
  if (offered !== undefined) return choose(offered, open[0]?.question.text);
  const [all, ask] = [ALL, ASK].map((move) => menu.find(({ id }) => id === move.id));
  return choose((isForFacts ? all : undefined) ?? ask ?? NONE);
}

/** A short message may show no language; then it is in that of the talk. */
function isRead(said: string, first: string): boolean {
  if (findLanguage(said) !== undefined) return true;
  return findLanguage(first) !== undefined && canCompareWords(said) && /^[\p{ASCII}’äöüß–—]*$/u.test(said);
}

/** The user stays for the act that it agreed to, and for a subject that says what it does next. */
function waitsOn({ state, hasActed, sample }: TurnToChoose, message: SubjectMessage): boolean {
  if (state.waits >= MOST_WAITS) return false;
  if (message.holds) return true;
  if (hasActed || message.sentences.some(closesTalk)) return false;
  return (
    state.hasAgreed || (message.isStatement && message.sentences.some(announcesAct) && !isFinished(sample, message))
  );
}

/** Numbered ways to go on, as machines on the telephone offer them. */
const NUMBERED = /(?<![\d.,])1(?![\d.,:]).*(?<![\d.,])2(?![\d.,:])/;

function findMoves(question: Question, sentences: readonly string[], turn: TurnToChoose): ChosenMove[] {
  const { user } = turn.sample;
  const quote = question.text;
  const facts = listFacts(turn.sample);
  if (offersChoice(question)) {
    const named = facts.filter(([, value]) => holdsValue(quote, value));
    if (named.length === 1) return [tell(named[0]?.[0], quote)];
    if (namesOwnChoice(quote, turn))
      return turn.menu.filter(({ id }) => id === AGAIN.id).map((move) => choose(move, quote));
    if (question.kind !== 'fact') return [];
  }
  const told = facts.filter(([key]) => isNamed(key, quote));
  // "May I have your booking number?" asks for nothing but what it names.
  const names = told.flatMap(([key]) => readContent(key));
  if (question.kind === 'consent' && !isHeld(readContent(quote), names)) return decide(question, sentences, turn);
  const unknown = user.does_not_know.filter((entry) => isNamed(entry, quote));
  // What the sample does not know may hold the name of what it knows: "the name of the doctor".
  const own = told.filter(
    ([key]) =>
      !(question.kind === 'request' && isDenied(key, quote)) &&
      !unknown.some((entry) => isHeld(readContent(key), readContent(entry))),
  );
  if (question.kind === 'yes-no' && own.length + unknown.length === 0) return decide(question, sentences, turn);
  return [
    ...own.map(([key]) => tell(key, quote)),
    ...unknown.map((entry): ChosenMove => ({ move: `unknown:${entry}`, quote })),
  ];
}

function listFacts({ user }: KnownTalk['sample']): [key: string, value: string][] {
  return Object.entries(user.knows).filter(([key, value]) => !isDecision(key, value, user.says_first));
}

/** Of the things between which it may choose, the user came for one, and for all of that; at a new price it came for neither. */
function namesOwnChoice(text: string, turn: TurnToChoose): boolean {
  const { sample, said } = turn;
  if (findNewNumber(said, turn) !== undefined) return false;
  const own = readContent(sample.user.says_first);
  const options = listOptions(text).map(readContent);
  const wanted = options.filter((words) => isHeld(words, own));
  return options.length === 2 && wanted.length === 1 && options.every(({ length }) => length > 0);
}

/** True when the question holds every word of the name, in any of its forms. */
function isNamed(name: string, text: string): boolean {
  if (isUnspaced(name)) return toPlainWords(text).includes(toPlainWords(name));
  return isHeld([...readMeaning(name)], [...readMeaning(text)]);
}

const tell = (key: string | undefined, quote: string): ChosenMove => ({ move: `tell:${key}`, quote });

/**
 * What a message without a question names in full, and nobody has said: "the order number is still missing". A sentence is
 * an objection to what is named, and is made after an act as well. "I have the e-mail, the order number is missing" and "I do not
 * need it" name what is not needed: where that may be so it is asked back first.
 */
function tellNeeded({ sentences }: SubjectMessage, turn: TurnToChoose): ChosenMove[] {
  const { sample, state, hasActed, menu } = turn;
  const { user } = sample;
  const named = Object.entries(user.knows).flatMap(([key, value]) => {
    const isTold = state.said.has(`tell:${key}`) || holdsValue(user.says_first, value) || saysYes(value);
    if (isTold || isDecision(key, value, user.says_first) || (hasActed && !isSentence(value))) return [];
    const text = sentences.find((sentence) => isNamed(key, sentence));
    return text === undefined ? [] : [{ move: tell(key, text), isSure: isSentence(value) || !isDenied(key, text) }];
  });
  const sure = named.filter(({ isSure }) => isSure);
  if (sure.length === 0 && named.length > 0 && menu.includes(ASK)) return [choose(ASK)];
  return (sure.length > 0 ? sure : named).map(({ move }) => move);
}

const CLAUSE_END = /[,，;；]/;
const ALREADY = new RegExp(joinWords('already'), 'iu');

/** "Your address I know, so I do not need it"; what begins with its no sets one thing against another: "the order, not the invoice". */
function isDenied(name: string, sentence: string): boolean {
  const clauses = sentence.split(CLAUSE_END);
  const at = clauses.findIndex((clause) => isNamed(name, clause));
  const telling = clauses.filter((clause, index) => index === at || (index > at && !beginsNegated(clause)));
  return ALREADY.test(clauses[at] ?? '') || countNegations(telling.join(' ')) % 2 === 1;
}

/** A yes is given where the sample names it, where all that is asked for is the sample's, and where no number is new. */
function decide(question: Question, sentences: readonly string[], turn: TurnToChoose): ChosenMove[] {
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
  const fitting = named
    .filter(({ meaning }) => isHeld([...meaning], [...heard]))
    .toSorted((a, b) => b.meaning.size - a.meaning.size);
  const [best, rival] = fitting;
  if (best !== undefined) {
    if (rival?.meaning.size === best.meaning.size && saysYes(rival.value) !== saysYes(best.value)) return [];
    const isYes = saysYes(best.value) || (!isYesOrNo(best.value) && !isSentence(best.value));
    if (isYesOrNo(best.value) && isDoubted(question)) return [];
    if (isYes && !isAgreed(question, context, { ...turn, about: best.meaning })) return [];
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
const isDoubted = ({ text }: Question): boolean => countNegations(dropYesOrNo(text)) % 2 === 1;

/** True when the very thing that is agreed to is named with a higher number, and with no other. */
function isRaised(key: string, context: readonly string[]): boolean {
  const [agreed, asked] = [readNumbers(key), readNumbers(context.join(' '))].map((numbers) => [...numbers]);
  if (agreed?.length !== 1 || asked?.length !== 1 || Number(asked[0]) <= Number(agreed[0])) return false;
  return isNamed(key.replaceAll(/\d+(?:[.,]\d+)?/g, ' '), context.join(' '));
}

type AgreedMatter = KnownTalk & { about: Meaning };

/** True when the question asks for nothing that the sample does not speak of, and what leads to it holds no new number. */
function isAgreed({ text }: Question, context: readonly string[], matter: AgreedMatter): boolean {
  const { sample, about } = matter;
  const heard = context.join(' ');
  if (findNewNumber(heard, matter) !== undefined || findAmountInWords(heard) !== undefined) return false;
  if (listFacts(sample).some(([key]) => isNamed(key, text))) return false;
  const consented = listConsented(sample);
  const known = readContent(listKnown(sample));
  const asked = readContent(dropNames(text, matter));
  if (!asked.every((word) => known.some((other) => isPartOf(word, other)))) return false;
  // "Do you confirm that …" asks for a fact, and not for consent to an act of the subject.
  if (asked.length > 0 && findLanguage(text)?.ownAct.test(text) !== true) return false;
  if (asked.some((word) => !about.has(word))) return true;
  const wanted = readContent([sample.user.says_first, ...consented].join('\n'));
  const led = readContent(context.slice(0, -1).join(' ')).filter((word) => !about.has(word));
  return led.length === 0
    ? about.size > 0
    : led.some((word) => !/\d/.test(word) && wanted.some((own) => isPartOf(word, own)));
}

/** The subject has said what the user waits for: one of the alternatives of `stops_when`. */
function isFinished({ user }: TurnToChoose['sample'], { sentences }: SubjectMessage): boolean {
  const heard = readMeaning(sentences.filter((one) => !asksForConsent(one) && !announcesAct(one)).join(' '));
  return user.stops_when
    .split(/[,，]|\bor\b|\boder\b|或/i)
    .some((part) => isHeld(readContent(part.replace(SPEAKER, '')), [...heard]));
}

const SPEAKER = new RegExp(joinWords('speaker'), 'giu');

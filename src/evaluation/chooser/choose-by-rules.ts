/** Chooses moves without a model, and only what is sure: a sentence that could mean two things is answered with none. */
import { findLanguage, isFiller, joinWords } from '../scripted-user/languages.ts';
import { isNegated, readMeaning } from '../scripted-user/meaning.ts';
import {
  announcesAct,
  asksForConsent,
  isQuestion,
  listOptions,
  readMessage,
  type Question,
  type SubjectMessage,
} from '../scripted-user/read-message.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { isSentence } from '../scripted-user/sentences.ts';
import { holdsValue, listWords } from '../../scenario/language/split-text.ts';
import { canCompareWords } from '../../scenario/language/word-forms.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { MOST_MOVES } from './check-choice.ts';
import { chooseByStructure } from './choose-by-structure.ts';
import { findNewNumber, isHeld, isNamed, listUnknown, NEEDED, readContent } from './content-words.ts';
import { decideByRules, listFacts } from './decide-by-rules.ts';
import { AGAIN, ALL, ASK, choose, END, findOffered, listUntold, NONE, WAIT, type TurnToChoose } from './menu.ts';

/** Messages without a question and without an act for which the user waits. */
const MOST_WAITS = 3;

export function chooseByRules(turn: TurnToChoose): ChosenMove[] {
  const { said, sample, hasActed, isOver, menu } = turn;
  if (!isRead(said, sample.user.says_first)) return chooseByStructure(turn);
  const message = readMessage(said);
  const asked = message.questions.filter(({ kind }) => kind !== 'more');
  const found = asked.map((question) => findMoves(question, message.sentences, turn));
  const moves = [...new Map(found.flat().map((one) => [one.move, one])).values()];
  // After an act, or a yes, "please keep the ticket" needs no answer; before it, it may ask for anything.
  const needsNothing = hasActed || (turn.state.hasAgreed && turn.state.waits === 0);
  const open = asked.filter(({ kind }, at) => found[at]?.length === 0 && !(kind === 'request' && needsNothing));
  const consents = asked.filter(({ kind }) => kind === 'consent');
  // Beside a second question for consent, or one that nothing answers, no yes says which of them it answers.
  const isMixed = consents.length + open.length > 1 && moves.some(({ move }) => /^(?:decide|agree)/.test(move));
  if (moves.length > 0 && !isMixed) return askForRest(moves, open, message, turn);
  const mayLeave = isOver || (isFinished(sample, message) && !menu.includes(ASK));
  if (moves.length > 0) return [answerNothing(open, turn)];
  // "Where shall he go? I need the address." and "Please send me:" ask for what is named after them.
  const mayNeed = open.every(({ kind, text }) => kind === 'fact' || /[:：]$/.test(text));
  const needed = message.holds || !mayNeed ? [] : tellNeeded(message, turn);
  if (needed.length > 0) return askForRest(needed, open, message, turn);
  return [open.length > 0 && !mayLeave ? answerNothing(open, turn) : answerStatement(message, turn)];
}

/** The user leaves when what it waits for has come; a statement that it does not understand is asked about, once. */
function answerStatement(message: SubjectMessage, turn: TurnToChoose): ChosenMove {
  const { said, sample, state, hasActed, isDone, menu } = turn;
  const hasCome = isDone || isFinished(sample, message);
  const isTold = (key: string): boolean => ['tell', 'decide'].some((kind) => state.said.has(`${kind}:${key}`));
  const namesUntold = Object.keys(sample.user.knows).some((key) => isNamed(key, said) && !isTold(key));
  if (waitsOn(turn, message, hasCome || namesUntold)) return choose(WAIT);
  if (hasCome || state.hasAgreed || !menu.includes(ASK) || listWords(said).length < 2) return choose(END);
  const isRefused = message.sentences.some((one) => refusesWish(one, turn));
  const hasActedOn = hasActed && (message.closes || isRefused || state.changes > 0);
  const hasToldAll = listUntold(sample.user, state).length === 0;
  if (!namesUntold && (hasActedOn || (hasToldAll && !message.closes))) return choose(END);
  return answerNothing([], turn, message.closes);
}

/** True for one that says in words that are all known that it cannot do it; "I cannot find you" asks for more. */
const refusesWish = (sentence: string, turn: TurnToChoose): boolean =>
  sentence.split(CLAUSE_END).some((clause) => INABILITY.test(clause) && listUnknown(clause, turn).length === 0);

/** A question that no move answers: all that the user knows is told, or it asks back, once, with the names of what it can tell. */
function answerNothing(open: readonly Question[], turn: TurnToChoose, isLast = false): ChosenMove {
  const isForFacts = isLast || (open.length > 0 && open.every(({ kind }) => kind === 'fact' || kind === 'yes-no'));
  const offered = isForFacts ? findOffered(turn) : undefined;
  if (offered !== undefined) return choose(offered, open[0]?.text);
  return choose((isForFacts ? [ALL, ASK] : [ASK]).find((move) => turn.menu.includes(move)) ?? NONE);
}

/** A short message may show no language; then it is in that of the talk. */
function isRead(said: string, first: string): boolean {
  if (findLanguage(said) !== undefined) return true;
  return findLanguage(first) !== undefined && canCompareWords(said) && /^[\p{ASCII}’äöüß–—]*$/u.test(said);
}

/** The user stays for the act that it agreed to, and for a subject that says what it does next. */
function waitsOn({ state, hasActed }: TurnToChoose, message: SubjectMessage, hasCome: boolean): boolean {
  if (state.waits >= MOST_WAITS) return false;
  if (message.holds) return true;
  if (state.hasAgreed && !hasActed) return !message.closes;
  return message.isStatement && !hasCome && message.sentences.some(announcesAct);
}

function findMoves(question: Question, sentences: readonly string[], turn: TurnToChoose): ChosenMove[] {
  const quote = question.text;
  const facts = listFacts(turn.sample);
  if (listOptions(quote).length > 1) {
    const named = facts.filter(([, value]) => holdsValue(quote, value));
    if (named.length === 1) return [tell(named[0]?.[0], quote)];
    if (namesOwnChoice(quote, turn))
      return turn.menu.filter(({ id }) => id === AGAIN.id).map((move) => choose(move, quote));
    if (question.kind !== 'fact') return [];
  }
  const named = findNamed(quote, turn);
  const told = named.filter(({ isOwn, name }) => isOwn && asksFor(name, question, turn));
  // "May I have your booking number?" asks for what it names, and for no consent.
  if (question.kind === 'consent' && told.length === 0) return decideByRules(question, sentences, turn);
  const moves = named.filter(
    (one) => !one.isOwn || (told.includes(one) && (isQuestion(quote) || !isDenied(one.name, quote))),
  );
  if (question.kind === 'yes-no' && moves.length === 0) return decideByRules(question, sentences, turn);
  return moves.map(({ move }) => move);
}

type Named = { name: string; /** The user knows it. */ isOwn: boolean; move: ChosenMove };

/** Finds what a sentence names; what the sample does not know may hold the name of what it knows: "the name of the doctor". */
function findNamed(quote: string, { sample }: TurnToChoose): Named[] {
  const unknown = sample.user.does_not_know.filter((entry) => isNamed(entry, quote));
  const own = listFacts(sample).filter(
    ([key]) => isNamed(key, quote) && !unknown.some((entry) => isHeld(readContent(key), readContent(entry))),
  );
  return [
    ...own.map(([name]) => ({ name, isOwn: true, move: tell(name, quote) })),
    ...unknown.map((name) => ({ name, isOwn: false, move: { move: `unknown:${name}`, quote } })),
  ];
}

const findClause = (name: string, text: string): string =>
  text.split(CLAUSE_END).find((one) => isNamed(name, one)) ?? text;

/** A question asks for what it names when it addresses the user, or holds no more than the name and words of asking. */
function asksFor(name: string, { text, kind }: Question, turn: TurnToChoose): boolean {
  const clause = findClause(name, text);
  const other = listUnknown(clause, turn);
  if ((ALREADY.test(clause) && !text.endsWith(clause)) || isOthers(clause, turn)) return false;
  // "Shall I change the address?" asks for no address, and "may it have no name?" for no name.
  if (kind === 'consent' && (other.length > 0 || isNegated(clause))) return false;
  return other.length < 2 || ((kind === 'fact' || NEEDED.test(clause)) && ADDRESS.test(text));
}

/** True for a thing of somebody else. A name such as "length of the hedge" says whose nothing is. */
function isOthers(clause: string, turn: TurnToChoose): boolean {
  if (listUnknown(clause, turn).length === 0) return false;
  const { knows, does_not_know: others } = turn.sample.user;
  const names = [...Object.keys(knows), ...others];
  const rest = names.reduce((text, name) => text.replaceAll(foldText(name), '_'), foldText(clause));
  return POSSESSOR.test(rest) || (OTHERS.test(rest) && !ADDRESS.test(rest));
}

/** Two things that are asked for are told both, or one is asked back by name, once: the user may know it by another name. */
function askForRest(
  moves: readonly ChosenMove[],
  open: readonly Question[],
  { sentences }: SubjectMessage,
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
    if (announcesAct(part)) return false;
    if (others.some(({ name }) => !isDenied(name, part))) return true;
    return !names.some((name) => isNamed(name, part)) && listUnknown(part, turn).length > 0;
  };
  // "Who is speaking? Please tell me your name." asks for one thing.
  const isSaidAgain = (text: string): boolean => {
    const next = sentences[sentences.indexOf(text) + 1] ?? '';
    return !isQuestion(next) && !BESIDES.test(next) && moves.some(({ quote }) => quote === next);
  };
  const isOpen =
    items.some(isUnnamed) ||
    open.some(({ kind, text }) => kind === 'fact' && isUnnamed(text) && !isSaidAgain(text)) ||
    moves.some(({ quote }) => listOptions(quote).length < 2 && quote.split(JOIN).some(isUnnamed));
  const isTelling = moves.every(({ move }) => /^(?:tell|unknown):/.test(move));
  return isTelling && mayAsk && isOpen ? [...moves.slice(0, MOST_MOVES - 1), choose(ASK)] : moves.slice(0, MOST_MOVES);
}

/** Of the things between which it may choose, the user came for one, and for all of that; at a new price it came for neither. */
function namesOwnChoice(text: string, turn: TurnToChoose): boolean {
  const own = readContent(turn.sample.user.says_first);
  const options = listOptions(text).map((option) => readContent(option));
  const wanted = options.filter((words) => isHeld(words, own));
  const isPriced = findNewNumber(turn.said, turn) !== undefined;
  return !isPriced && options.length === 2 && wanted.length === 1 && options.every(({ length }) => length > 0);
}

const tell = (key: string | undefined, quote: string): ChosenMove => ({ move: `tell:${key}`, quote });

/**
 * What a message without a question names in full, and nobody has said: "the order number is still missing". A sentence is
 * an objection to what is named, and is made after an act as well. "I have the e-mail, the order number is missing" and "I do not
 * need it" name what is not needed: where that may be so it is asked back first.
 */
function tellNeeded({ sentences }: SubjectMessage, turn: TurnToChoose): ChosenMove[] {
  const { sample, state, hasActed, menu } = turn;
  const untold = listUntold(sample.user, state);
  const found = sentences.flatMap((text) => findNamed(text, turn));
  const named = [...new Map(found.toReversed().map((one) => [one.name, one])).values()].flatMap((one) => {
    const { name, isOwn, move } = one;
    const isObjection = isOwn && isSentence(sample.user.knows[name] ?? '');
    const isTold = isObjection || (isOwn && state.said.has(ASK.id) && !hasActed);
    if (isOwn ? !untold.includes(name) : state.said.has(move.move)) return [];
    if (!(isTold || isNeeded(move.quote, sentences)) || isOthers(findClause(name, move.quote), turn)) return [];
    return [{ move, isSure: isObjection || !isDenied(name, move.quote) }];
  });
  const sure = named.filter(({ isSure }) => isSure);
  if (sure.length === 0 && named.length > 0 && menu.includes(ASK)) return [choose(ASK)];
  return (sure.length > 0 ? sure : named).map(({ move }) => move);
}

/** What a list names is needed when the line that leads to it says so. */
const isNeeded = (text: string, sentences: readonly string[]): boolean =>
  NEEDED.test(text) || sentences.some((one) => /[:：]$/.test(one) && (NEEDED.test(one) || asksForConsent(one)));

const POSSESSOR = new RegExp(joinWords('possessors'), 'iu');
const OTHERS = new RegExp(joinWords('others'), 'iu');
const OTHER_THING = new RegExp(joinWords('otherThing'), 'iu');
const BESIDES = new RegExp(joinWords('besides'), 'iu');
const JOIN = new RegExp(joinWords('joins'), 'iu');
const ADDRESS = new RegExp(joinWords('addresses'), 'iu');
const LIST_ITEM = /^\s*(?:[-*•–]|\d+[.)、])/;
const CLAUSE_END = /[,，;；:：]/;
const ALREADY = new RegExp(joinWords('already'), 'iu');

/** "I have the address, and do not need the name": where one thing is set against another it is not clear what is needed. */
function isDenied(name: string, sentence: string): boolean {
  const clause = findClause(name, sentence);
  const isApart = NEEDED.test(clause) || asksForConsent(clause);
  return [clause, ...(isApart ? [] : [sentence])].some((one) => ALREADY.test(one) || isNegated(one));
}

/** The subject has said what the user waits for: one of the alternatives of `stops_when`, or that it cannot do it. */
function isFinished(sample: TurnToChoose['sample'], { sentences }: SubjectMessage): boolean {
  const { knows, stops_when: stopsWhen } = sample.user;
  const decisions = Object.keys(knows).filter((key) => readMeaning(key).has('agree'));
  const told = sentences.filter((one) => !decisions.some((key) => isNamed(key, one)));
  const parts = stopsWhen.split(/[,，]|\bor\b|\boder\b|或者?/i).map((part) => part.replaceAll(SPEAKER, ''));
  return parts.some((part) => told.some((sentence) => tellsOf(part, sentence, sample)));
}

/** A clause tells of it in words that are known; a day, an hour and a courtesy may be added, and nothing of another thing. */
function tellsOf(part: string, sentence: string, sample: TurnToChoose['sample']): boolean {
  const isRefused = INABILITY.test(sentence);
  // "That nothing is booked" has its own auxiliary in German: "dass nichts gebucht wird".
  const [own = ''] = CONDITION.exec(part) ?? [];
  const isSame = isNegated(sentence) === isNegated(part);
  if (!(isRefused || isSame) || !isPlain(own === '' ? sentence : sentence.replace(own, ' '))) return false;
  const words = [...readMeaning(isRefused ? part.replace(ALREADY, ' ') : part)].filter((word) => !isFiller(word));
  return sentence.split(CLAUSE_END).some((clause) => {
    const added = listUnknown(clause, { sample }).filter((word) => !isHeld([word], words));
    const isOther = OTHER_THING.test(clause) && !OTHER_THING.test(part);
    return isHeld(words, [...readMeaning(clause)]) && added.length <= MOST_ADDED && !isOther;
  });
}

const MOST_ADDED = 3;

/** True for a sentence that tells what is so, and not what is asked, comes next, or depends on something. */
const isPlain = (sentence: string): boolean =>
  !asksForConsent(sentence) && !announcesAct(sentence) && (!CONDITION.test(sentence) || INABILITY.test(sentence));

const SPEAKER = new RegExp(joinWords('speaker'), 'giu');
const CONDITION = new RegExp(joinWords('conditions'), 'iu');
const INABILITY = new RegExp(joinWords('inability'), 'iu');

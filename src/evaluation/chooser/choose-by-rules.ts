/** Chooses moves without a model, and only what is sure: a sentence that could mean two things is answered with none. */
import { findLanguage, GRAMMAR, isFiller } from '../scripted-user/languages.ts';
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
import { listAmounts } from '../../scenario/language/amounts.ts';
import { holdsValue, listWords } from '../../scenario/language/split-text.ts';
import { canCompareWords } from '../../scenario/language/word-forms.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { findChoiceFault } from './check-choice.ts';
import { chooseByStructure } from './choose-by-structure.ts';
import { findNewNumber, isHeld, isNamed, readContent } from './content-words.ts';
import { answerOffer, decideByRules, listFacts } from './decide-by-rules.ts';
import { AGAIN, ALL, ASK, choose, END, findOffered, listUntold, NONE, WAIT, WISH, type TurnToChoose } from './menu.ts';
import {
  askForRest,
  asksFor,
  CLAUSE_END,
  dropDoubles,
  findNamed,
  isDenied,
  tell,
  tellNeeded,
} from './tell-by-rules.ts';

/** Messages without a question and without an act for which the user waits. */
const MOST_WAITS = 3;

export function chooseByRules(turn: TurnToChoose): ChosenMove[] {
  const { said, sample, state } = turn;
  const moves = isRead(said, sample.user.says_first) ? chooseByWords(turn) : chooseByStructure(turn);
  if (!moves.some(({ move }) => [END.id, NONE.id, WISH.id].includes(move))) return moves;
  // A question of the user's own waits for nobody to ask for it: it is put before the user leaves, and where nothing else answers.
  const own = listUntold(sample.user, state).filter((key) => isQuestion(sample.user.knows[key] ?? ''));
  const first = own.map((key) => [tell(key, said)]);
  return first.find((one) => findChoiceFault({ ...turn, moves: one }) === undefined) ?? moves;
}

function chooseByWords(turn: TurnToChoose): ChosenMove[] {
  const { said, sample, hasActed, isOver, menu } = turn;
  const message = readMessage(said);
  const asked = message.questions.filter(({ kind }) => kind !== 'more');
  const found = asked.map((question) => findMoves(question, message.sentences, turn));
  const moves = dropDoubles(found.flat());
  // After an act, or a yes, "please keep the ticket" needs no answer; before it, it may ask for anything.
  const needsNothing = hasActed || (turn.state.hasAgreed && turn.state.waits === 0);
  const open = asked.filter(({ kind }, at) => found[at]?.length === 0 && !(kind === 'request' && needsNothing));
  const consents = asked.filter(({ kind }) => kind === 'consent');
  // Beside a second question for consent, or one that nothing answers, no yes says which of them it answers.
  const isMixed = consents.length + open.length > 1 && moves.some(({ move }) => /^(?:decide|agree)/.test(move));
  if (moves.length > 0 && !isMixed) return askForRest(moves, { open, sentences: message.sentences }, turn);
  const mayLeave = isOver || (isFinished(sample, message) && !menu.includes(ASK));
  if (moves.length > 0) return [answerNothing(open, turn)];
  // "Where shall he go? I need the address." and "Please send me:" ask for what is named after them.
  const mayNeed = open.every(({ kind, text }) => kind === 'fact' || /[:：]$/.test(text));
  const needed = message.holds || !mayNeed ? [] : tellNeeded(message, turn);
  if (needed.length > 0) return askForRest(needed, { open, sentences: message.sentences }, turn);
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
  const hasActedOn = hasActed && (message.closes || state.changes > 0);
  const hasToldAll = listUntold(sample.user, state).length === 0;
  if (!namesUntold && (hasActedOn || (hasToldAll && !message.closes))) return choose(END);
  return answerNothing([], turn, message.closes);
}

/** A question that no move answers: all that the user knows is told, or it asks back, once, with the names of what it can tell. */
function answerNothing(open: readonly Question[], turn: TurnToChoose, isLast = false): ChosenMove {
  const isForFacts = isLast || (open.length > 0 && open.every(({ kind }) => kind === 'fact' || kind === 'yes-no'));
  const offered = isForFacts ? findOffered(turn) : undefined;
  if (offered !== undefined) return choose(offered, open[0]?.text);
  const offer = open.find(({ kind }) => kind === 'consent');
  const next = (isForFacts ? [ALL, ASK] : [ASK]).find((move) => turn.menu.includes(move));
  return next === undefined && offer !== undefined ? answerOffer(offer.text, turn) : choose(next ?? NONE);
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

/** Between the things of a choice, the user came for one, and for all of that; at a price it came for neither. */
function namesOwnChoice(text: string, turn: TurnToChoose): boolean {
  const own = readContent(turn.sample.user.says_first);
  const options = listOptions(text).map((option) => readContent(option));
  const wanted = options.filter((words) => isHeld(words, own));
  const isPriced = findNewNumber(turn.said, turn) !== undefined || listAmounts(turn.said).length > 0;
  return !isPriced && options.length === 2 && wanted.length === 1 && options.every(({ length }) => length > 0);
}

/** The subject has said what the user waits for: one of the alternatives of `stops_when`, or that it cannot do it. */
function isFinished(sample: TurnToChoose['sample'], { sentences }: SubjectMessage): boolean {
  const { knows, stops_when: stopsWhen } = sample.user;
  const decisions = Object.keys(knows).filter((key) => readMeaning(key).has('agree'));
  const told = sentences.filter((one) => !decisions.some((key) => isNamed(key, one)));
  const parts = stopsWhen
    .split(/[,，]|\bor\b|\boder\b|或者?/i)
    .map((part) => part.replaceAll(new RegExp(GRAMMAR.speaker, 'giu'), ''));
  return parts.some((part) => told.some((sentence) => tellsWhole(part, sentence)));
}

/** One clause tells all of it, and nothing of another thing. */
function tellsWhole(part: string, sentence: string): boolean {
  const isRefused = GRAMMAR.inability.test(sentence);
  // "That nothing is booked" has its own auxiliary in German: "dass nichts gebucht wird".
  const [own = ''] = GRAMMAR.conditions.exec(part) ?? [];
  const isSame = isNegated(sentence) === isNegated(part);
  if (!(isRefused || isSame) || !isPlain(own === '' ? sentence : sentence.replace(own, ' '))) return false;
  const words = [...readMeaning(isRefused ? part.replace(GRAMMAR.already, ' ') : part)].filter(
    (word) => !isFiller(word),
  );
  return sentence.split(CLAUSE_END).some((clause) => {
    const isOther = GRAMMAR.otherThing.test(clause) && !GRAMMAR.otherThing.test(part);
    return isHeld(words, [...readMeaning(clause)]) && !isOther;
  });
}

/** True for a sentence that tells what is so, and not what is asked, comes next, or depends on something. */
const isPlain = (sentence: string): boolean =>
  !asksForConsent(sentence) &&
  !announcesAct(sentence) &&
  (!GRAMMAR.conditions.test(sentence) || GRAMMAR.inability.test(sentence));

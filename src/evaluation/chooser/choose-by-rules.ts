/** Chooses moves without a model, and only what is sure: a sentence that could mean two things is answered with none. */
import { findLanguage, isOftenUsed } from '../scripted-user/find-language.ts';
import { isYesOrNo, saysYes } from '../scripted-user/languages.ts';
import { isWithin, readMeaning, type Meaning } from '../scripted-user/meaning.ts';
import {
  asksForConsent,
  closesTalk,
  offersChoice,
  readMessage,
  type Question,
  type SubjectMessage,
} from '../scripted-user/read-message.ts';
import { isSentence } from '../scripted-user/sentences.ts';
import { toPlainWords } from '../../scenario/language/fold-text.ts';
import { isCurrency } from '../../scenario/language/amounts.ts';
import { isUnspaced, listWords } from '../../scenario/language/split-text.ts';
import { areWordForms, canCompareWords } from '../../scenario/language/word-forms.ts';
import type { ChosenMove } from '../../scenario/trace.ts';
import { findNewNumber, listConsented, listKnown, type KnownSample } from './known-words.ts';
import { END, isDecision, NONE, WAIT, type Move, type UserState } from './menu.ts';

export type TurnToChoose = {
  sample: KnownSample;
  menu: readonly Move[];
  state: UserState;
  said: string;
  /** The subject has called something since its user last spoke. */
  hasActed: boolean;
};

/** Messages without a question and without an act for which the user waits. */
const MOST_WAITS = 3;

export function chooseByRules(turn: TurnToChoose): ChosenMove[] {
  const { said, sample, hasActed } = turn;
  if (!isRead(said, sample.user.says_first)) return [choose(NONE)];
  const message = readMessage(said);
  const asked = message.questions.filter(({ kind }) => kind !== 'more');
  const found = asked.map((question) => ({ question, moves: findMoves(question, message.sentences, turn) }));
  const moves = [...new Map(found.flatMap((one) => one.moves).map((one) => [one.move, one])).values()];
  // After an act "please keep the ticket" needs no answer; before it, it may ask for anything.
  const open = found.filter(({ question, moves: own }) => own.length === 0 && !(question.kind === 'deed' && hasActed));
  const consents = asked.filter(({ kind }) => kind === 'consent' || kind === 'offer');
  // With two questions for consent no yes says which of them it answers.
  const isMixed = consents.length > 1 && moves.some(({ move }) => /^(?:decide|agree)/.test(move));
  if (moves.length > 0 && !isMixed) return moves.slice(0, 3);
  const pressing = open.filter(({ question }) => question.kind !== 'offer');
  if (isMixed || (pressing.length > 0 && !isFinished(sample, message))) return [choose(NONE)];
  const needed = message.holds ? [] : tellNeeded(message, turn);
  if (needed.length > 0) return needed;
  return [choose(waitsOn(turn, message) ? WAIT : END)];
}

/** A short message may show no language; then it is in that of the talk. */
function isRead(said: string, first: string): boolean {
  if (findLanguage(said) !== undefined) return true;
  return findLanguage(first) !== undefined && canCompareWords(said) && /^[\p{ASCII}’äöüß–—]*$/u.test(said);
}

/** The user stays for the act that it agreed to, and for a subject that says that it goes on working. */
function waitsOn({ state, hasActed, sample }: TurnToChoose, message: SubjectMessage): boolean {
  if (state.waits >= MOST_WAITS) return false;
  if (message.holds) return true;
  if (hasActed || isFinished(sample, message)) return false;
  return message.isStatement && state.hasAgreed && !message.sentences.some(closesTalk);
}

const choose = ({ id }: Move, quote = ''): ChosenMove => ({ move: id, quote });

function findMoves(question: Question, sentences: readonly string[], turn: TurnToChoose): ChosenMove[] {
  const { user } = turn.sample;
  const quote = question.text;
  const facts = Object.entries(user.knows).filter(([key, value]) => !isDecision(key, value, user.says_first));
  if (offersChoice(question)) {
    const named = facts.filter(([, value]) => holdsValue(quote, value));
    if (named.length === 1 || question.kind !== 'fact') return named.length === 1 ? [tell(named[0]?.[0], quote)] : [];
  }
  if (question.kind === 'consent' || question.kind === 'offer') return decide(question, sentences, turn);
  const unknown = user.does_not_know.filter((entry) => isNamed(entry, question));
  const told = facts.filter(([key]) => isNamed(key, question));
  // What the sample does not know may hold the name of what it knows: "the name of the doctor".
  const own = told.filter(([key]) => !unknown.some((entry) => isHeld(readContent(key), readContent(entry))));
  if (question.kind === 'yes-no' && own.length + unknown.length === 0) return decide(question, sentences, turn);
  const within = facts.filter(([key]) => isHeld(readContent(quote), readContent(key)));
  // "Which loan is it?" asks for nothing that the name "loan number" does not hold, and no other name holds it.
  if (question.kind === 'fact' && own.length + unknown.length === 0 && within.length === 1)
    return [tell(within[0]?.[0], quote)];
  return [
    ...own.map(([key]) => tell(key, quote)),
    ...unknown.map((entry): ChosenMove => ({ move: `unknown:${entry}`, quote })),
  ];
}

/** True when the question holds every word of the name, in any of its forms. */
function isNamed(name: string, { text, meaning }: Pick<Question, 'text' | 'meaning'>): boolean {
  if (isUnspaced(name)) return toPlainWords(text).includes(toPlainWords(name));
  const words = [...readMeaning(name)].filter((word) => !isOftenUsed(word));
  return isHeld(words, [...meaning]);
}

/** True when the text holds the words of the name themselves, not only others of the same meaning. */
function isLiteral(name: string, text: string): boolean {
  return isHeld(
    listWords(name).filter((word) => !isOftenUsed(word)),
    listWords(text),
  );
}

function isHeld(words: readonly string[], whole: readonly string[]): boolean {
  return words.length > 0 && words.every((word) => whole.some((other) => areWordForms(word, other)));
}

function tell(key: string | undefined, quote: string): ChosenMove {
  return { move: `tell:${key}`, quote };
}

/**
 * What a message without a question names in full, and nobody has said: "the order number is still missing". A sentence is
 * an objection to what is named, and is made after an act as well.
 */
function tellNeeded({ sentences }: SubjectMessage, { sample: { user }, state, hasActed }: TurnToChoose): ChosenMove[] {
  return Object.entries(user.knows).flatMap(([key, value]): ChosenMove[] => {
    const isTold = state.said.has(`tell:${key}`) || holdsValue(user.says_first, value) || saysYes(value);
    if (isTold || isDecision(key, value, user.says_first) || (hasActed && !isSentence(value))) return [];
    const text = sentences.find((sentence) =>
      isSentence(value) ? isLiteral(key, sentence) : isNamed(key, { text: sentence, meaning: readMeaning(sentence) }),
    );
    return text === undefined ? [] : [tell(key, text)];
  });
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
      return isSentence(value) && isLiteral(key, context.join(' '));
    })
    .map(([key, value]) => ({ key, value, meaning: new Set(readContent(key)) }));
  const fitting = named
    .filter(({ meaning }) => isHeld([...meaning], [...heard]))
    .toSorted((a, b) => b.meaning.size - a.meaning.size);
  const [best, rival] = fitting;
  if (best !== undefined) {
    if (rival?.meaning.size === best.meaning.size && saysYes(rival.value) !== saysYes(best.value)) return [];
    const isYes = saysYes(best.value) || (!isYesOrNo(best.value) && !isSentence(best.value));
    if (isYes && !isAgreed(question, context, { sample, about: best.meaning })) return [];
    const move = menu.find(({ id }) => id === `decide:${best.key}` || id === `tell:${best.key}`);
    return move === undefined ? [] : [choose(move, question.text)];
  }
  const plain = named.find(({ meaning, value }) => meaning.size === 0 && isYesOrNo(value));
  const move = menu.find(({ id }) => id === (plain === undefined ? 'agree' : `decide:${plain.key}`));
  const isRefusal = plain !== undefined && !saysYes(plain.value);
  if (move === undefined || question.kind !== 'consent') return [];
  return isRefusal || isAgreed(question, context, { sample, about: new Set() }) ? [choose(move, question.text)] : [];
}

type AgreedMatter = { sample: TurnToChoose['sample']; about: Meaning };

/** True when the question asks for nothing that the sample does not speak of, and what leads to it holds no new number. */
function isAgreed({ text }: Question, context: readonly string[], { sample, about }: AgreedMatter): boolean {
  if (findNewNumber(context.join(' '), sample) !== undefined) return false;
  const consented = listConsented(sample);
  const matter = readContent(listKnown(sample));
  const asked = readContent(text).filter((word) => !(word === 'refund' && about.has('price')));
  if (!asked.every((word) => matter.some((other) => isPartOf(word, other)))) return false;
  if (asked.length > 0 && !asksForOwnAct(text)) return false;
  if (asked.some((word) => !about.has(word))) return true;
  const wanted = readContent([sample.user.says_first, ...consented].join('\n'));
  const led = readContent(context.slice(0, -1).join(' ')).filter((word) => !about.has(word));
  return led.length === 0
    ? about.size > 0
    : led.some((word) => !/\d/.test(word) && wanted.some((own) => isPartOf(word, own)));
}

/** A question for consent to an act of the subject; "do you confirm that …" asks for a fact. */
function asksForOwnAct(text: string): boolean {
  return findLanguage(text)?.ownAct.test(text) === true || OWN_ACT_CHINESE.test(text);
}

const OWN_ACT_CHINESE =
  /(?:需要|要|可以|能|让)我|(?:为|帮|给|替)(?:您|你)|继续|(?:要|还要|确认要)(?=取消|改|退|办|订)/u;

/** A form of the word, or a part of a compound of it: `Buchung` of `Zimmerbuchung`. */
function isPartOf(word: string, own: string): boolean {
  if (areWordForms(word, own)) return true;
  if (word.length < 5 || isUnspaced(word) || /\d/.test(word)) return false;
  const shared = Array.from(word).findIndex((letter, index) => own[index] !== letter);
  return own.endsWith(word) || shared < 0 || shared >= Math.max(5, 0.7 * Math.max(word.length, own.length));
}

/** Words by which consent is asked for, besides the small words of the languages. */
const ASKING = new Set(
  (
    'go do work sure correct right happy certain sound good continue need make deal yes alright all okay day today now ' +
    'im in es so zu an am dann also gern gerne fortfahren weiter weitermachen machen tun recht ordnung sicher richtig darf dürfen wollen würden gebe gibt ' +
    'zahlen bezahlen 支付 收取 可以 继续 需要 是否 这样 办理 现在 吗 呢 确定 没问题 想要'
  )
    .split(' ')
    .flatMap((word) => [...readMeaning(word)]),
);

function readContent(text: string): string[] {
  const telling = text.replaceAll(/[\p{L}']+/gu, (word) => (isOftenUsed(word) ? ' ' : word));
  return [...readMeaning(telling)].filter(
    (word) =>
      word !== 'agree' &&
      !ASKING.has(word) &&
      !isCurrency(word) &&
      !isOftenUsed(word) &&
      !/^\p{Script=Han}$/u.test(word),
  );
}

function holdsValue(text: string, value: string): boolean {
  const [asked, own] = [toPlainWords(text), toPlainWords(value)];
  if (isUnspaced(own)) return asked.includes(own);
  return own.length > 2 && ` ${asked} `.includes(` ${own} `);
}

/** The subject has said what the user waits for: one of the alternatives of `stops_when`. */
function isFinished({ user }: TurnToChoose['sample'], { sentences }: SubjectMessage): boolean {
  const heard = readMeaning(sentences.filter((sentence) => !asksForConsent(sentence)).join(' '));
  return user.stops_when
    .split(/[,，]|\bor\b|\boder\b|或/i)
    .map((part) => new Set(readContent(part.replace(SPEAKER, ''))))
    .some((wanted) => isWithin(wanted, heard));
}

const SPEAKER =
  /\b(?:the )?(?:agent|assistant|user|customer)\b|\b(?:says?|tells?|has|have|said)\b|\bder agent\b|\bsagt\b|\bdass\b|客服|说/gi;

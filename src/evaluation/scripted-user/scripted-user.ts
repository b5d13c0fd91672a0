/** The scripted user: says in natural sentences what its sample knows, agrees or refuses, and notices when it is finished. */
import { foldText, toPlainWords } from '../../scenario/language/fold-text.ts';
import { holdsValue, isUnspaced } from '../../scenario/language/split-text.ts';
import type { Sample } from '../../scenario/sample.ts';
import { NO_USAGE } from '../../transcript/message.ts';
import type { SimulatedUser, UserAnswer } from '../trial/simulated-user.ts';
import { dropGeneric, isWithin, readMeaning, type Meaning } from './meaning.ts';
import { detectLanguage } from './languages.ts';
import { offersChoice, readMessage, type Question, type SubjectMessage } from './read-message.ts';
import {
  formatAgreement,
  formatDontKnow,
  isSentence,
  formatFact,
  formatYesOrNo,
  isYesOrNo,
  saysYes,
} from './sentences.ts';

type Fact = { key: string; value: string; meaning: Meaning };
type UserState = {
  user: Sample['user'];
  facts: readonly Fact[];
  /** Keys of the facts it has said, because it objects to a thing only once. */
  said: Set<string>;
  /** Sentences that it has said where a yes or no was asked for, each as often as it was said. */
  decided: string[];
};
type Reply = { says?: string; unanswered?: string; agrees?: boolean };

/** Messages without an act for which it stays after it has agreed to one. */
const MOST_STAYS = 2;
/** A sentence is said so often in answer to a request for consent; a subject that asks again has not got its answer. */
const MOST_REPEATED = 2;

/**
 * Acts first: the first open act whose phrase is in the subject's message. Else it answers the subject's questions, by the meaning
 * of what it knows; a yes or no that it does not know is a yes, since it came for this. It ends the conversation when the
 * subject has no more questions and has done what it agreed to, and as `user_silent` when its sample has no answer.
 */
export function scriptedUser({ user }: Pick<Sample, 'user'>): SimulatedUser {
  const acts = [...(user.acts ?? [])];
  const facts = Object.entries(user.knows).map(([key, value]): Fact => ({ key, value, meaning: readMeaning(key) }));
  const mind: UserState = { user, facts, said: new Set(), decided: [] };
  let hasWaited = false;
  let stays = 0;
  return {
    async answer({ said, act, hasActed = true }): Promise<UserAnswer> {
      const spent = { usage: NO_USAGE, costUsd: 0 };
      const heard = foldText(said);
      const index = acts.findIndex(({ when }) => heard.includes(foldText(when)));
      const [next] = index < 0 ? [] : acts.splice(index, 1);
      for (const call of next?.calls ?? []) await act(call);
      if (next !== undefined) return { says: next.says, ...spent };
      const message = readMessage(said);
      const { says, unanswered, agrees = false } = buildReply(message, mind);
      if (agrees) stays = MOST_STAYS;
      if (says !== undefined) return { says, ...spent };
      if (unanswered !== undefined)
        return { says: undefined, end: { stop: 'user_silent', detail: unanswered }, ...spent };
      const isOpen = !hasActed && message.isStatement && !isFinished(user, readMeaning(said));
      const tells = isOpen && !message.holds ? tellNeeded(message, mind) : undefined;
      if (tells !== undefined) return { says: tells, ...spent };
      const waits = (isOpen && stays > 0) || (message.holds && !hasWaited);
      hasWaited ||= waits;
      stays = waits ? stays - 1 : 0;
      return { says: waits ? detectLanguage(said).waits : undefined, ...spent };
    },
  };
}

function buildReply({ questions, sentences }: SubjectMessage, mind: UserState): Reply {
  // A user without a question and without facts says nothing; reading a long answer takes time.
  if (questions.length === 0 && mind.facts.length === 0) return {};
  const whole = readMeaning(sentences.join(' '));
  const answers: string[] = [];
  const stated = new Set<string>();
  const open: Question[] = [];
  /** Agreements are kept apart, because an objection replaces them. */
  const agreements: string[] = [];
  let agrees = false;
  for (const one of questions) {
    const known = one.kind === 'offer' ? decisionOn(one, mind, whole) : factsFor(one, mind.facts, whole);
    if (one.kind === 'consent' && known.some((fact) => isExhausted(fact, mind))) {
      open.push(one);
      continue;
    }
    agrees ||= one.kind === 'consent' && known.some(({ value }) => saysYes(value));
    for (const { key, value } of known.filter((fact) => !stated.has(fact.key))) {
      stated.add(key);
      if (one.kind === 'consent' && !isYesOrNo(value)) mind.decided.push(key);
      const isAlone = known.length === 1 && questions.length === 1 && !/,| and /i.test(one.text);
      answers.push(
        one.kind === 'fact' || one.kind === 'deed'
          ? formatFact(key, value, { isAlone, question: one.text })
          : formatYesOrNo(key, value, one.text),
      );
    }
    const unknown = unknownIn(one, mind, known.length > 0);
    if (unknown !== undefined) {
      mind.said.add(unknown);
      answers.push(formatDontKnow(unknown, one.text));
    } else if (known.length > 0) continue;
    else if (one.kind === 'consent' && !offersChoice(one) && !refusesAny(mind.facts))
      agreements.push(formatAgreement(one.text));
    else if (one.kind !== 'more' && one.kind !== 'deed' && one.kind !== 'offer') open.push(one);
  }
  const objections = findObjections(sentences, stated, mind);
  for (const key of [...stated, ...objections.map((fact) => fact.key)]) mind.said.add(key);
  const spoken = [...answers, ...(objections.length > 0 ? objections.map(({ value }) => value.trim()) : agreements)];
  if (spoken.length > 0)
    return {
      says: [...new Set(spoken)].join(' '),
      agrees: agrees || (objections.length === 0 && agreements.length > 0),
    };
  return open.length === 0 || isFinished(mind.user, whole)
    ? {}
    : { unanswered: open.map(({ text }) => text).join(' ') };
}

/** True for a sentence that was said as often as it may be, and settled nothing; a decision may be said for ever. */
function isExhausted({ key, meaning }: Fact, { decided }: UserState): boolean {
  return !meaning.has('agree') && decided.filter((one) => one === key).length >= MOST_REPEATED;
}

/** Finds sentences whose key is only mentioned. A yes without a question would be consent to whatever comes next. */
function findObjections(sentences: readonly string[], stated: ReadonlySet<string>, mind: UserState): readonly Fact[] {
  const meanings = sentences.map(readMeaning);
  return mind.facts.filter(
    ({ key, value, meaning }) =>
      isSentence(value) &&
      !saysYes(value) &&
      !stated.has(key) &&
      !mind.said.has(key) &&
      meanings.some((one) => isWithin(meaning, one)),
  );
}

/** Finds an unknown thing that is asked for. A request to act must name it in full, and is answered at most once. */
function unknownIn({ kind, meaning }: Question, { user, said }: UserState, isAnswered: boolean): string | undefined {
  return user.does_not_know.find((entry) => {
    if (kind === 'deed' && said.has(entry)) return false;
    const isWhole = isAnswered || kind === 'deed';
    return isWhole ? isWithin(readMeaning(entry), meaning) : isMeant(readMeaning(entry), meaning);
  });
}

/**
 * Tells what a message without a question says is needed: facts that it names in full and that nobody has said yet. A subject that has
 * acted reports what it did, and names the same things.
 */
function tellNeeded({ sentences }: SubjectMessage, { user, facts, said }: UserState): string | undefined {
  const heard = ` ${toPlainWords([user.says_first, ...sentences].join(' '))} `;
  const isOpen = ({ key, value }: Fact): boolean =>
    !said.has(key) && !isYesOrNo(value) && !isSentence(value) && !heard.includes(` ${toPlainWords(value)} `);
  const told = sentences.flatMap((sentence) => {
    const needed = facts.filter((fact) => isOpen(fact) && isWithin(fact.meaning, readMeaning(sentence)));
    return needed.map(({ key, value }) => {
      said.add(key);
      return formatFact(key, value, { isAlone: false, question: sentence });
    });
  });
  return told.length === 0 ? undefined : told.join(' ');
}

/** The known facts about the question: all that are named in full, otherwise the best match. */
function factsFor(question: Question, facts: readonly Fact[], whole: Meaning): readonly Fact[] {
  // A question that asks for a fact by its own word may name another value.
  const asks = question.kind === 'fact' && detectLanguage(question.text).asksFact.test(question.text);
  if (offersChoice(question) && !asks) {
    const chosen = facts.filter((fact) => isNamedIn(question, fact));
    if (chosen.length > 0) return chosen.toSorted((a, b) => b.value.length - a.value.length).slice(0, 1);
  }
  if (question.kind === 'consent' || question.kind === 'yes-no') return findAnswer(question, facts, whole);
  const named = facts.filter(
    ({ value, meaning }) => isWithin(meaning, question.meaning) && !(question.kind === 'deed' && saysYes(value)),
  );
  if (named.length > 0 || question.kind === 'deed') return named;
  return facts.filter(({ meaning }) => isMeant(meaning, question.meaning)).slice(0, 1);
}

/** An offer is accepted or declined as the sample says about that very thing, and once: the user never agrees to something else. */
function decisionOn(offer: Question, { facts, said }: UserState, whole: Meaning): readonly Fact[] {
  const namesIt = ({ meaning }: Fact): boolean => [...meaning].some((word) => word !== 'agree');
  const open = facts.filter((fact) => !said.has(fact.key) && isYesOrNo(fact.value) && namesIt(fact));
  return findDecision(open, new Set([...whole, ...offer.meaning, 'agree']));
}

/** Finds the decision that names most of what was said; of two that name as much, a yes or no goes before a sentence. */
function findDecision(facts: readonly Fact[], context: Meaning): readonly Fact[] {
  const decisions = facts.filter(({ value, meaning }) => isDecision(value) && isWithin(meaning, context));
  return decisions
    .toSorted((a, b) => b.meaning.size - a.meaning.size || Number(isYesOrNo(b.value)) - Number(isYesOrNo(a.value)))
    .slice(0, 1);
}

/** A yes or no refers to all that was said before it; the fact that names most of it answers. */
function findAnswer(question: Question, facts: readonly Fact[], whole: Meaning): readonly Fact[] {
  const isConsent = question.kind === 'consent';
  // No bare yes says which of two things.
  const isOther = offersChoice(question) ? ({ value }: Fact) => isSentence(value) : () => true;
  const known = findDecision(facts.filter(isOther), isConsent ? new Set([...whole, 'agree']) : whole);
  if (known.length > 0 || isConsent) return known;
  return facts.filter((fact) => isNamedIn(question, fact) || isMeant(fact.meaning, question.meaning)).slice(0, 1);
}

/** True when the question holds the value; a yes or no is only looked for where words are not set apart. */
function isNamedIn({ text }: Question, { value }: Fact): boolean {
  return holdsValue(text, value) && (isUnspaced(value) || !isYesOrNo(value));
}

/** True when the user refuses something; it then agrees only to what its sample names, never by default. */
function refusesAny(facts: readonly Fact[]): boolean {
  return facts.some(({ value, meaning }) => meaning.has('agree') && isYesOrNo(value) && !saysYes(value));
}

function isDecision(value: string): boolean {
  return isYesOrNo(value) || isSentence(value);
}

function isMeant(meaning: Meaning, question: Meaning): boolean {
  return isWithin(meaning, question) || isWithin(dropGeneric(meaning), question);
}

/** The subject has said what the user waits for: one of the alternatives of `stops_when`. */
function isFinished({ stops_when: stopsWhen }: Sample['user'], whole: Meaning): boolean {
  const alternatives = stopsWhen
    .split(/,|\bor\b/i)
    .map((part) =>
      readMeaning(
        part.replace(/\b(?:the )?(?:agent|assistant|user|customer)\b|\b(?:says?|tells?|has|have|said)\b/gi, ''),
      ),
    );
  return alternatives.some((wanted) => isWithin(wanted, whole));
}

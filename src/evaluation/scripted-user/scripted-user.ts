/** The scripted user: says in natural sentences what its sample knows, agrees or refuses, and notices when it is finished. */
import { toPlainWords } from '../../scenario/language/fold-text.ts';
import { splitSentences } from '../../scenario/language/split-text.ts';
import type { Sample } from '../../scenario/sample.ts';
import { NO_USAGE } from '../../transcript/message.ts';
import type { SimulatedUser, UserAnswer } from '../trial/simulated-user.ts';
import { dropGeneric, isWithin, readMeaning, type Meaning } from './meaning.ts';
import { isYesOrNo, detectLanguage, saysYes, type Language } from './languages.ts';
import { formatAgreement, formatDontKnow, isSentence, formatFact, formatYesOrNo } from './sentences.ts';

type Fact = { key: string; value: string; meaning: Meaning };
type UserState = {
  user: Sample['user'];
  facts: readonly Fact[];
  /** Keys of the facts it has said, because it objects to a thing only once. */
  said: Set<string>;
};

/**
 * Acts first: the first open act whose phrase is in the subject's message. Else it answers the subject's questions, by the meaning
 * of what it knows; a yes or no that it does not know is a yes, since it came for this. It ends the conversation when the
 * subject has no more questions, and as `user_silent` when its sample has no answer.
 */
export function scriptedUser({ user }: Pick<Sample, 'user'>): SimulatedUser {
  const acts = [...(user.acts ?? [])];
  const facts = Object.entries(user.knows).map(([key, value]): Fact => ({ key, value, meaning: readMeaning(key) }));
  const mind: UserState = { user, facts, said: new Set() };
  let hasWaited = false;
  return {
    async answer({ said, act }): Promise<UserAnswer> {
      const spent = { usage: NO_USAGE, costUsd: 0 };
      const index = acts.findIndex(({ when }) => said.toLowerCase().includes(when.toLowerCase()));
      const [next] = index < 0 ? [] : acts.splice(index, 1);
      for (const call of next?.calls ?? []) await act(call);
      if (next !== undefined) return { says: next.says, ...spent };
      const message = readMessage(said);
      const { says, unanswered } = buildReply(message, mind);
      if (says !== undefined) return { says, ...spent };
      if (unanswered !== undefined)
        return { says: undefined, end: { stop: 'user_silent', detail: unanswered }, ...spent };
      const waits = message.holds && !hasWaited;
      hasWaited ||= waits;
      return { says: waits ? detectLanguage(said).waits : undefined, ...spent };
    },
  };
}

function buildReply({ questions, sentences }: SubjectMessage, mind: UserState): { says?: string; unanswered?: string } {
  // A user without a question and without facts says nothing; reading a long answer takes time.
  if (questions.length === 0 && mind.facts.length === 0) return {};
  const whole = readMeaning(sentences.join(' '));
  const meanings = sentences.map(readMeaning);
  const answers: string[] = [];
  const stated = new Set<string>();
  const open: Question[] = [];
  /** Agreements are kept apart, because an objection replaces them. */
  const agreements: string[] = [];
  for (const one of questions) {
    const known = one.kind === 'offer' ? decisionOn(one, mind, whole) : factsFor(one, mind.facts, whole);
    for (const { key, value } of known.filter((fact) => !stated.has(fact.key))) {
      stated.add(key);
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
  const objections = mind.facts.filter(
    ({ key, value, meaning }) =>
      // A yes without a question would be consent to whatever comes next.
      isSentence(value) &&
      !saysYes(value) &&
      !stated.has(key) &&
      !mind.said.has(key) &&
      meanings.some((one) => isWithin(meaning, one)),
  );
  for (const key of [...stated, ...objections.map((fact) => fact.key)]) mind.said.add(key);
  const spoken = [...answers, ...(objections.length > 0 ? objections.map(({ value }) => value.trim()) : agreements)];
  if (spoken.length > 0) return { says: [...new Set(spoken)].join(' ') };
  return open.length === 0 || isFinished(mind.user, whole)
    ? {}
    : { unanswered: open.map(({ text }) => text).join(' ') };
}

/** Finds an unknown thing that is asked for. A request to act must name it in full, and is answered at most once. */
function unknownIn({ kind, meaning }: Question, { user, said }: UserState, isAnswered: boolean): string | undefined {
  return user.does_not_know.find((entry) => {
    if (kind === 'deed' && said.has(entry)) return false;
    const isWhole = isAnswered || kind === 'deed';
    return isWhole ? isWithin(readMeaning(entry), meaning) : isMeant(readMeaning(entry), meaning);
  });
}

/** The known facts about the question: all that are named in full, otherwise the best match. */
function factsFor(question: Question, facts: readonly Fact[], whole: Meaning): readonly Fact[] {
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

/** Finds the decision that names most of what was said. */
function findDecision(facts: readonly Fact[], context: Meaning): readonly Fact[] {
  const decisions = facts.filter(({ value, meaning }) => isDecision(value) && isWithin(meaning, context));
  return decisions.toSorted((a, b) => b.meaning.size - a.meaning.size).slice(0, 1);
}

/** A yes or no refers to all that was said before it; the fact that names most of it answers. */
function findAnswer(question: Question, facts: readonly Fact[], whole: Meaning): readonly Fact[] {
  const known = findDecision(facts, question.kind === 'consent' ? new Set([...whole, 'agree']) : whole);
  if (known.length > 0) return known;
  const isNamed = ({ value }: Fact): boolean =>
    value.length > 2 && ` ${toPlainWords(question.text)} `.includes(` ${toPlainWords(value)} `);
  const named = facts.filter(
    (fact) => isNamed(fact) || (question.kind === 'yes-no' && isMeant(fact.meaning, question.meaning)),
  );
  return named.slice(0, 1);
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

/** One sentence in which the subject asks its user for something, with its kind. */
type Question = {
  text: string;
  /**
   * `fact`: something to be told · `consent`: a yes or no to what comes next · `yes-no` · `more`: whether there is anything
   * else · `deed`: something to be done, such as "please sign it", which no words need answer · `offer`: "you can have it if you
   * like", which counts only where there is no other question.
   */
  kind: 'fact' | 'consent' | 'yes-no' | 'more' | 'deed' | 'offer';
  meaning: Meaning;
};

type SubjectMessage = { questions: Question[]; sentences: string[]; holds: boolean };

export function readMessage(said: string): SubjectMessage {
  const sentences = splitSentences(said);
  const questions: Question[] = [];
  let isList = false;
  let holds = false;
  for (const sentence of sentences) {
    const isItem = isList && /^(?:[-*•]|\d+[.)])/.test(sentence);
    if (!isItem) isList = false;
    const language = detectLanguage(sentence);
    const kind = isItem ? 'fact' : classifySentence(sentence, language);
    holds = isHold(sentence, language);
    if (kind !== undefined && !holds) questions.push({ text: sentence, kind, meaning: readMeaning(sentence) });
    if (kind === 'fact' && /[:：]$/.test(sentence)) isList = true;
  }
  const pressing = questions.filter(({ kind }) => kind !== 'offer');
  return { questions: pressing.length > 0 ? pressing : questions, sentences, holds };
}

function isHold(sentence: string, { hold, asksToWait }: Language): boolean {
  return isQuestion(sentence) ? asksToWait.test(sentence) : hold.test(sentence);
}

function isQuestion(sentence: string): boolean {
  return /[?？]$/.test(sentence);
}

function classifySentence(sentence: string, language: Language): Question['kind'] | undefined {
  const { more, meant, ownAct, asksFact, consent, yesNo, pleaseConsent, offers, closes, needsFact, please } = language;
  if (!isQuestion(sentence)) {
    if (more.test(sentence) || closes.test(sentence)) return undefined;
    if (pleaseConsent.test(sentence)) return 'consent';
    if (offers.test(sentence)) return 'offer';
    if (needsFact.test(sentence)) return 'fact';
    return please.test(sentence) ? 'deed' : undefined;
  }
  if (more.test(sentence)) return 'more';
  if (meant.test(sentence) || ownAct.test(sentence)) return 'consent';
  if (asksFact.test(sentence)) return 'fact';
  if (consent.test(sentence)) return 'consent';
  return yesNo.test(sentence) ? 'yes-no' : 'fact';
}

/** A choice between two things, which no yes can answer. */
export function offersChoice({ text }: Question): boolean {
  const { choice, notChoice } = detectLanguage(text);
  return choice.test(text.replace(notChoice, ''));
}

/** Reads a message of the subject: what it asks for, whether it goes on working, and whether it only states something. */
import { splitSentences } from '../../scenario/language/split-text.ts';
import { findLanguage } from './find-language.ts';
import { detectLanguage, type Language } from './languages.ts';
import { readMeaning, type Meaning } from './meaning.ts';

/** One sentence in which the subject asks its user for something, with its kind. */
export type Question = {
  text: string;
  /**
   * `fact`: something to be told · `consent`: a yes or no to what comes next · `yes-no` · `more`: whether there is anything
   * else · `deed`: something to be done, such as "please sign it", which no words need answer · `offer`: "you can have it if you
   * like", which counts only where there is no other question.
   */
  kind: 'fact' | 'consent' | 'yes-no' | 'more' | 'deed' | 'offer';
  meaning: Meaning;
};

/** `isStatement`: it asks nothing, not even whether there is anything else, and closes nothing. */
export type SubjectMessage = { questions: Question[]; sentences: string[]; holds: boolean; isStatement: boolean };

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
  const isStatement = questions.length === 0 && !sentences.some((sentence) => closesTalk(sentence));
  return { questions: pressing.length > 0 ? pressing : questions, sentences, holds, isStatement };
}

function isHold(sentence: string, { hold, asksToWait }: Language): boolean {
  return isQuestion(sentence) ? asksToWait.test(sentence) : hold.test(sentence);
}

/** True for a sentence that a yes or no can answer: a question in any language, or a request in one that is read. */
export function asksForConsent(sentence: string): boolean {
  return isQuestion(sentence) || (findLanguage(sentence) !== undefined && mayAskForConsent(sentence));
}

/**
 * False where code is sure that no yes or no is asked for. In a language that it does not read it cannot tell a question without
 * a mark (Japanese ends one with a full stop), so the word of whoever chose the yes holds.
 */
export function mayAskForConsent(sentence: string): boolean {
  const language = isQuestion(sentence) ? undefined : findLanguage(sentence);
  if (language === undefined) return true;
  const kind = classifySentence(sentence, language);
  return kind === 'consent' || kind === 'offer' || kind === 'deed';
}

/** True when the subject says that the talk may end: no more help is needed, or it may be asked at any time. */
export function closesTalk(sentence: string): boolean {
  const { more, closes } = detectLanguage(sentence);
  return more.test(sentence) || closes.test(sentence);
}

export function isQuestion(sentence: string): boolean {
  return /[?？؟]["”’»)）」』】]*$/.test(sentence);
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

/** Cuts a question between the things that it offers. */
export function listOptions(text: string): string[] {
  const { notChoice } = detectLanguage(text);
  return text.replace(notChoice, '').split(/\b(?:or|oder)\b|还是|或者/i);
}

/** A choice between two things, which no yes can answer. */
export function offersChoice({ text }: Question): boolean {
  const { choice, notChoice } = detectLanguage(text);
  return choice.test(text.replace(notChoice, ''));
}

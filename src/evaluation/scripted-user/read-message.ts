/** Reads a message of the subject: what it asks for, whether it goes on working, and whether it only states something. */
import { splitSentences } from '../../scenario/language/split-text.ts';
import { isNegated } from './meaning.ts';
import { detectLanguage, findLanguage, LANGUAGES, type Language } from './languages.ts';

/** One sentence in which the subject asks its user for something, with its kind. */
export type Question = {
  text: string;
  /**
   * `fact`: something to be told · `consent`: a yes or no to what comes next · `yes-no`: neither of them for sure · `more`: whether
   * there is anything else · `request`: a sentence without a question mark that may ask for anything, such as "please sign it".
   */
  kind: 'fact' | 'consent' | 'yes-no' | 'more' | 'request';
};

/** `closes`: the talk may end. `isStatement`: it asks nothing, not even whether there is anything else, and closes nothing. */
export type SubjectMessage = Record<'holds' | 'closes' | 'isStatement', boolean> & {
  questions: Question[];
  sentences: readonly string[];
};

export function readMessage(said: string): SubjectMessage {
  const sentences = splitSentences(said);
  // A short sentence ("Einverstanden?") shows no language; then it is in that of the message.
  let whole: Language | undefined;
  const readLanguage = (sentence: string): Language => findLanguage(sentence) ?? (whole ??= detectLanguage(said));
  const isHold = (sentence: string): boolean =>
    !isQuestion(sentence) && LANGUAGES.some(({ hold }) => hold.test(sentence));
  const questions = sentences.flatMap((sentence): Question[] => {
    const kind = isHold(sentence) ? undefined : classifySentence(sentence, readLanguage(sentence));
    return kind === undefined ? [] : [{ text: sentence, kind }];
  });
  const closes = sentences.some((sentence) => readLanguage(sentence).more.test(sentence));
  const isStatement = questions.length === 0 && !closes;
  return { questions, sentences, holds: isHold(sentences.at(-1) ?? ''), closes, isStatement };
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
  return language === undefined || language.mayAsk.test(sentence);
}

/** True when the subject says that the talk may end. */
export function closesTalk(sentence: string): boolean {
  return detectLanguage(sentence).more.test(sentence);
}

/** True when the subject says what it does next, and not that it does nothing. */
export function announcesAct(sentence: string): boolean {
  return !isNegated(sentence) && LANGUAGES.some(({ announces }) => announces.test(sentence));
}

export function isQuestion(sentence: string): boolean {
  return /[?？؟]["”’»)）」』】]*$/.test(sentence);
}

function classifySentence(sentence: string, language: Language): Question['kind'] | undefined {
  const { more, asksFact, consent, mayAsk } = language;
  if (!isQuestion(sentence) && (more.test(sentence) || !mayAsk.test(sentence))) return undefined;
  if (more.test(sentence)) return 'more';
  if (asksFact.test(sentence)) return 'fact';
  if (!isQuestion(sentence)) return 'request';
  return consent.test(sentence) ? 'consent' : 'yes-no';
}

const YES_OR_NO = /\b(?:yes or no|or not|ja oder nein|oder nicht)\b/gi;

export const dropYesOrNo = (text: string): string => text.replaceAll(YES_OR_NO, '');

/** Cuts a question between the things that it offers; no yes can answer a choice between two. */
export function listOptions(text: string): string[] {
  return dropYesOrNo(text).split(/\b(?:or|oder)\b|还是|或者/i);
}

/** What the subject wants of its user with one message: sentences that ask for something, each with its kind. */
import { languageOf, type Language } from './languages.ts';
import { meaningOf, type Meaning } from './meaning.ts';

export type Asked = {
  text: string;
  /**
   * `fact`: something to be told · `consent`: a yes or no to what comes next · `yes-no` · `more`: whether there is anything
   * else · `deed`: something to be done, such as "please sign it", which no words need answer · `offer`: "you can have it if you
   * like", which counts only where nothing else is asked.
   */
  kind: 'fact' | 'consent' | 'yes-no' | 'more' | 'deed' | 'offer';
  meaning: Meaning;
};

export type Message = { asked: Asked[]; sentences: string[]; holds: boolean };

export function readMessage(said: string): Message {
  const sentences = sentencesOf(said);
  const asked: Asked[] = [];
  let isList = false;
  let holds = false;
  for (const sentence of sentences) {
    const isItem = isList && /^(?:[-*•]|\d+[.)])/.test(sentence);
    if (!isItem) isList = false;
    const language = languageOf(sentence);
    const kind = isItem ? 'fact' : kindOf(sentence, language);
    holds = isHold(sentence, language);
    if (kind !== undefined && !holds) asked.push({ text: sentence, kind, meaning: meaningOf(sentence) });
    if (kind === 'fact' && /[:：]$/.test(sentence)) isList = true;
  }
  const pressing = asked.filter(({ kind }) => kind !== 'offer');
  return { asked: pressing.length > 0 ? pressing : asked, sentences, holds };
}

function isHold(sentence: string, { hold, asksToWait }: Language): boolean {
  return isQuestion(sentence) ? asksToWait.test(sentence) : hold.test(sentence);
}

function isQuestion(sentence: string): boolean {
  return /[?？]$/.test(sentence);
}

function kindOf(sentence: string, language: Language): Asked['kind'] | undefined {
  const { more, meant, asksFact, consent, yesNo, pleaseConsent, offers, closes, needsFact, please } = language;
  if (!isQuestion(sentence)) {
    if (more.test(sentence) || closes.test(sentence)) return undefined;
    if (pleaseConsent.test(sentence)) return 'consent';
    if (offers.test(sentence)) return 'offer';
    if (needsFact.test(sentence)) return 'fact';
    return please.test(sentence) ? 'deed' : undefined;
  }
  if (more.test(sentence)) return 'more';
  if (meant.test(sentence)) return 'consent';
  if (asksFact.test(sentence)) return 'fact';
  if (consent.test(sentence)) return 'consent';
  return yesNo.test(sentence) ? 'yes-no' : 'fact';
}

function sentencesOf(said: string): string[] {
  return said
    .split(/(?<!\b(?:Dr|Mr|Mrs|Ms|St|No|Nr|approx|e\.g|i\.e)\.)(?<=[.!?])["”')*_]*\s+|(?<=[。！？])["”’）」]*|\n+/)
    .map((sentence) => sentence.replaceAll('**', '').trim())
    .filter((sentence) => sentence !== '');
}

/** A choice between two things, which no yes can answer. */
export function offersChoice({ text }: Asked): boolean {
  const { choice, notChoice } = languageOf(text);
  return choice.test(text.replace(notChoice, ''));
}

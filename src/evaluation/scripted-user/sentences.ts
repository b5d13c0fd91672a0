/** What a person would say: facts, yes and no as sentences, in the language of the question. */
import { isEnglish, isYesOrNo, languageOf, saysYes } from './languages.ts';

export function isSentence(value: string): boolean {
  return /[.!?。！？]$/.test(value.trim()) || /^(?:I|I'm|We|My|It|There|Yes|No|Then|Please)\b.* .* /i.test(value);
}

/** A fact as an answer; `isAlone` when it is the one thing that `question` asks for. */
export function tell(
  key: string,
  value: string,
  { isAlone, question }: { isAlone: boolean; question: string },
): string {
  if (isSentence(value) || isYesOrNo(value)) return capital(ended(value));
  const { alone, named } = languageOf(question);
  const said = (form: string): string => form.replace('{key}', () => name).replace('{value}', () => value.trim());
  const name = key.replaceAll('_', ' ').trim();
  if (isAlone) return said(alone);
  // "the door code" is nobody's.
  if (/^(?:my|the|our|his|her|their)\b/i.test(name)) return `${capital(name)} is ${ended(value)}`;
  return said(named);
}

/** A fact as an answer to a question that can be answered with yes or no. */
export function yesOrNo(key: string, value: string, question: string): string {
  if (isSentence(value)) return capital(ended(value));
  const { yes, no } = languageOf(question);
  if (isYesOrNo(value)) {
    if (!BARE.test(value.trim())) return ended(value);
    return saysYes(value) ? yes : no;
  }
  const isNamed = plain(question).includes(plain(value));
  const fact = tell(key, value, { isAlone: false, question });
  if (!isEnglish(question)) return fact;
  if (isNamed && / or /i.test(question)) return `${capital(value)}, please.`;
  return isNamed
    ? `Yes, that is right: ${ended(value)}`
    : `${/^(?:do|have) you\b/i.test(question) ? 'Yes' : 'No'}, ${small(fact)}`;
}

/** Yes or no and nothing more. */
const BARE = /^(?:yes|no|ja|nein|是的?|好的?|可以|不|否)$/i;

/** The yes of a person who came for this very thing. */
export function agreement(question: string): string {
  return languageOf(question).agreements.find(([words]) => words.test(question))?.[1] ?? '';
}

export function dontKnow(entry: string, question: string): string {
  const thing = entry.trim().replace(/[.!?。]$/, '');
  if (isEnglish(question) && /^(?:that|anything|everything|nothing)\b/i.test(thing))
    return "I'm afraid I don't know that.";
  const isWhole = /^(?:the|my|our|how|what|which|whether|when|where|who|why|any)\b/i.test(thing);
  // A bare noun is mine or nobody's: "my order number", but "the day".
  const key =
    !isEnglish(question) || isWhole
      ? thing
      : `${/^(?:day|date|time|price|reason|model|brand|size|colou?r)\b/i.test(thing) ? 'the' : 'my'} ${thing}`;
  return languageOf(question).unknown.replace('{key}', () => key);
}

export function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function ended(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function small(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

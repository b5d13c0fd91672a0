/** Formats facts, yes and no as natural sentences in the language of the question. */
import { endsSentence } from '../../scenario/language/split-text.ts';
import { detectLanguage, LANGUAGES } from './languages.ts';

/** Checks all languages, because the texts of a sample are too short to show theirs. */
export function saysYes(text: string): boolean {
  return LANGUAGES.some((language) => language.saysYes.test(text.trim()));
}

/** A value that is a decision: it begins with yes or no. In English "please" and "fine" begin other things too. */
export function isYesOrNo(value: string): boolean {
  const text = value.trim();
  const others = LANGUAGES.slice(0, -1);
  return /^(?:yes|no)\b/i.test(text) || others.some((one) => one.saysYes.test(text) || one.saysNo.test(text));
}

export function saysNo(text: string): boolean {
  return LANGUAGES.some((language) => language.saysNo.test(text.trim()));
}

export function isSentence(value: string): boolean {
  return endsSentence(value) || /^(?:I|I'm|We|My|It|There|Yes|No|Then|Please)\b.* .* /i.test(value);
}

/** Formats a fact as an answer; `isAlone` when it is the only thing that `question` asks for. */
export function formatFact(
  key: string,
  value: string,
  { isAlone, question }: { isAlone: boolean; question: string },
): string {
  if (isSentence(value) || isYesOrNo(value)) return capitalizeFirst(endSentence(value));
  const { alone, named } = detectLanguage(question);
  const said = (form: string): string => form.replace('{key}', () => name).replace('{value}', () => value.trim());
  const name = key.replaceAll('_', ' ').trim();
  if (isAlone) return said(alone);
  // A name that already has an article or possessive gets no second one: "the door code".
  if (/^(?:my|the|our|his|her|their)\b/i.test(name)) return `${capitalizeFirst(name)} is ${endSentence(value)}`;
  return said(named);
}

/** Formats a yes or no; one that says more is said as it stands. */
export function formatYesOrNo(value: string, question: string): string {
  const { yes, no } = detectLanguage(question);
  if (BARE_YES_OR_NO.test(value.trim())) return saysYes(value) ? yes : no;
  return capitalizeFirst(endSentence(value));
}

/** Matches a yes or no and nothing more. */
const BARE_YES_OR_NO = /^(?:yes|no|ja|nein|是的?|好的?|可以|不|否)$/i;

/** Names the thing as the sample does, whatever its grammar. */
export function formatDontKnow(entry: string, question: string): string {
  const thing = capitalizeFirst(entry.trim().replace(/[.!?。]$/, ''));
  return detectLanguage(question).unknown.replace('{key}', () => thing);
}

export function endSentence(text: string): string {
  const trimmed = text.trim();
  if (endsSentence(trimmed)) return trimmed;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(trimmed) ? `${trimmed}。` : `${trimmed}.`;
}

function capitalizeFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What a person would say: facts, yes and no as sentences. */

export function isSentence(value: string): boolean {
  return /[.!?]$/.test(value.trim()) || /^(?:I|I'm|We|My|It|There|Yes|No|Then|Please)\b.* .* /i.test(value);
}

/** A fact as an answer; `isAlone` when it is the one thing that was asked for. */
export function tell(key: string, value: string, { isAlone }: { isAlone: boolean }): string {
  if (isSentence(value) || isYesOrNo(value)) return capital(ended(value));
  if (isAlone) return `It is ${ended(value)}`;
  const name = key.replaceAll('_', ' ').trim();
  return `${/^(?:my|the|our|his|her|their)\b/i.test(name) ? capital(name) : `My ${name}`} is ${ended(value)}`;
}

/** A fact as an answer to a question that can be answered with yes or no. */
export function yesOrNo(key: string, value: string, question: string): string {
  if (isSentence(value)) return capital(ended(value));
  if (isYesOrNo(value))
    return /^yes$/i.test(value.trim()) ? 'Yes, please.' : /^no$/i.test(value.trim()) ? 'No, thank you.' : ended(value);
  const isNamed = plain(question).includes(plain(value));
  const fact = tell(key, value, { isAlone: false });
  if (isNamed && / or /i.test(question)) return `${capital(value)}, please.`;
  return isNamed
    ? `Yes, that is right: ${ended(value)}`
    : `${/^(?:do|have) you\b/i.test(question) ? 'Yes' : 'No'}, ${small(fact)}`;
}

/** The yes of a person who came for this very thing. */
export function agreement(question: string): string {
  if (/\bsure\b|\bcertain\b/i.test(question)) return 'Yes, I am sure.';
  if (/\b(?:right|correct)\b/i.test(question)) return 'Yes, that is right.';
  if (/\bconfirm\b/i.test(question)) return 'Yes, I confirm that.';
  return 'Yes, please go ahead.';
}

export function dontKnow(entry: string): string {
  const thing = entry.trim().replace(/[.!?]$/, '');
  if (/^(?:that|anything|everything|nothing)\b/i.test(thing)) return "I'm afraid I don't know that.";
  return `I'm afraid I don't know ${/^(?:the|my|our|how|what|which|whether|when|where|who|why|any)\b/i.test(thing) ? thing : `my ${thing}`}.`;
}

export function isYesOrNo(value: string): boolean {
  return /^(?:yes|no)\b/i.test(value.trim());
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

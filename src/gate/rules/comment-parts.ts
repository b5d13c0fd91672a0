/** A reviewer's answer as single comments: the text before the colon of a line names the place that it is about. */

export type CommentPart = { anchor?: string; text: string };

const RULE = String.raw`R[1-9]\d{0,5}`;
const FILE = String.raw`[a-z][a-z0-9_-]{0,60}\.(?:md|yaml)`;
const QUOTE = String.raw`"[^"\n]{1,200}"`;
/** `R4` · `R4 "30 days"` · `business_rules.yaml:12` · `business_rules.yaml removed "30 days"`. */
const ANCHOR = String.raw`${RULE}(?: ${QUOTE})?|${FILE}:[1-9]\d{0,5}|${FILE} removed ${QUOTE}`;
const WHOLE = new RegExp(`^(?:${ANCHOR})$`);
const BEGINS = new RegExp(`^(${ANCHOR}): `);

export type Anchor =
  | { kind: 'rule'; rule: string; quote?: string }
  | { kind: 'line'; file: string; line: number }
  | { kind: 'removed'; file: string; quote: string };

/** Undefined for everything that is not exactly an anchor. */
export function parseAnchor(text: string): Anchor | undefined {
  if (!WHOLE.test(text)) return undefined;
  const [, quote] = /"(.*)"$/.exec(text) ?? [];
  const rule = /^R\d+/.exec(text)?.[0];
  if (rule !== undefined) return { kind: 'rule', rule, ...(quote === undefined ? {} : { quote }) };
  const [, file = '', line] = /^([^\s:]+)(?::(\d+))?/.exec(text) ?? [];
  return quote === undefined ? { kind: 'line', file, line: Number(line) } : { kind: 'removed', file, quote };
}

/** Words in a form that an anchor may contain; may be empty. */
export function quotable(text: string): string {
  const plain = text.replaceAll('"', "'").replaceAll(/\s+/g, ' ').trim();
  return Array.from(plain).slice(0, 90).join('');
}

/** One anchored comment as its lines in an answer: a blank line would end it. */
export function anchoredText(anchor: string, text: string): string {
  return `${anchor}: ${text.trim().replaceAll(/\n\s*\n/g, '\n')}`;
}

/** An anchored comment ends at the next one or at a blank line; text without an anchor is one comment. */
export function commentParts(comment: string): CommentPart[] {
  const anchored: CommentPart[] = [];
  const rest: string[] = [];
  let isOpen = false;
  for (const line of comment.split('\n')) {
    const anchor = BEGINS.exec(line)?.[1];
    const last = anchored.at(-1);
    if (anchor !== undefined) anchored.push({ anchor, text: line });
    else if (isOpen && last !== undefined && line.trim() !== '') last.text += `\n${line}`;
    else rest.push(line);
    isOpen = anchor !== undefined || (isOpen && line.trim() !== '');
  }
  const plain = rest.join('\n').trim();
  return plain === '' ? anchored : [...anchored, { text: plain }];
}

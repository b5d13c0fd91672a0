/** Splits a reviewer's answer into comments; the text before a line's colon is the anchor of its comment. */

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

/** Returns undefined for text that is not exactly an anchor. */
export function parseAnchor(text: string): Anchor | undefined {
  if (!WHOLE.test(text)) return undefined;
  const [, quote] = /"(.*)"$/.exec(text) ?? [];
  const rule = /^R\d+/.exec(text)?.[0];
  if (rule !== undefined) return { kind: 'rule', rule, ...(quote === undefined ? {} : { quote }) };
  const [, file = '', line] = /^([^\s:]+)(?::(\d+))?/.exec(text) ?? [];
  return quote === undefined ? { kind: 'line', file, line: Number(line) } : { kind: 'removed', file, quote };
}

/** Makes text fit for an anchor; the result may be empty. */
export function toQuotableText(text: string): string {
  const plain = text.replaceAll('"', "'").replaceAll(/\s+/g, ' ').trim();
  return Array.from(plain).slice(0, 90).join('');
}

/** Formats one anchored comment as lines of an answer, without the blank lines that would end it. */
export function formatAnchored(anchor: string, text: string): string {
  return `${anchor}: ${text.trim().replaceAll(/\n\s*\n/g, '\n')}`;
}

/** Splits an answer: an anchored comment ends at the next anchor or blank line; text without anchors is one comment. */
export function splitComment(comment: string): CommentPart[] {
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

/** Takes head or tail of a text by characters or tokens, never half a pair (docs/internals/compaction-cases.md T9). */
import { estimateText } from './tokens.ts';

export function takeHead(text: string, chars: number): string {
  if (chars <= 0) return '';
  if (chars >= text.length) return text;
  return text.slice(0, splitsPair(text, chars) ? chars - 1 : chars);
}

export function takeTail(text: string, chars: number): string {
  if (chars <= 0) return '';
  if (chars >= text.length) return text;
  const start = text.length - chars;
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

export function takeHeadByTokens(text: string, tokens: number): string {
  return takeHead(
    text,
    findLongestFit(text, tokens, (chars) => text.slice(0, chars)),
  );
}

export function takeTailByTokens(text: string, tokens: number): string {
  return takeTail(
    text,
    findLongestFit(text, tokens, (chars) => text.slice(text.length - chars)),
  );
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** Finds the longest slice within `tokens`; the estimate never counts more than 2.5 characters a token. */
function findLongestFit(text: string, tokens: number, slice: (chars: number) => string): number {
  let low = 0;
  let high = Math.min(text.length, Math.ceil(Math.max(0, tokens) * 2.5));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateText(slice(middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

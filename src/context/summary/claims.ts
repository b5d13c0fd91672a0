/** Checks a summary's claims against the transcript: the ids it cites and the words it quotes of people. */
import { foldText } from '../../scenario/language/fold-text.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import { getText, listToolUses } from '../../transcript/message.ts';
import type { Entry } from '../../transcript/entry.ts';

const CITATION = /\[#(e\d+)\]/g;
/** `The user said: "…"`: a quote soon after the word for a person, in the same sentence. */
const QUOTES = [
  /\b(?:users?|humans?|reviewers?|person)\b[^"“”\n.;]{0,60}["“]([^"“”\n]{12,600})["”]/gi,
  /(?:用户|评审|审核)[^"“”「」\n。；]{0,30}["“「]([^"“”「」\n]{6,600})["”」]/g,
];
/** Shorter pieces of a quote are not checked: they prove nothing. */
const MIN_PIECE_CHARS = 6;
/** Four words or four Chinese characters: less is a name or a term, not a sentence. */
const SENTENCE_LIKE = /(?:\S+\s+){3}\S|\p{Script=Han}{4}/u;

export function citedIds(text: string): Set<string> {
  return new Set([...text.matchAll(CITATION)].map(([, id = '']) => id));
}

/** Cited ids that no entry has: the model invented them (S0.13). */
export function unknownIds(text: string, entries: readonly Entry[]): string[] {
  const known = new Set(entries.map(({ id }) => id));
  return [...citedIds(text)].filter((id) => !known.has(id));
}

/**
 * The first sentence quoted as a person's that is in no text of people, tools and files
 * (docs/internals/compaction-cases.md T18). Earlier text of the model proves nothing. Files that it wrote do, because
 * samples quote the users they describe.
 */
export function inventedQuote(lines: readonly string[], entries: readonly Entry[]): string | undefined {
  const quotes = lines
    .flatMap((line) => QUOTES.flatMap((pattern) => [...line.matchAll(pattern)].map(([, quote = '']) => quote)))
    .filter((quote) => SENTENCE_LIKE.test(quote));
  if (quotes.length === 0) return undefined;
  const sources = normalizeText(entries.flatMap(listSourceTexts).join('\n'));
  return quotes.find((quote) => !splitQuote(quote).every((piece) => sources.includes(piece)));
}

function listSourceTexts(entry: Entry): string[] {
  if (entry.type !== 'message') return [];
  const calls = listToolUses(entry.message).map(({ input }) => JSON.stringify(input));
  if (entry.origin === 'model') return calls;
  const results = entry.message.content.flatMap((block) =>
    block.type === 'tool_result' ? [getResultText(block)] : [],
  );
  return [getText(entry.message), ...results];
}

/** Splits a quote at each ellipsis, because both sides of it must be found in the sources. */
function splitQuote(quote: string): string[] {
  return quote
    .split(/…|\.{3}|\[\.\.\.\]/)
    .map(normalizeText)
    .filter((piece) => piece.length >= MIN_PIECE_CHARS);
}

/** Ignores case, spacing, quote marks and escapes. */
function normalizeText(text: string): string {
  return foldText(text.replaceAll(/\\[nrt]/g, ' ').replaceAll(/[\\"“”'‘’]/g, '')).replaceAll(
    /^[\s.,;:!?。，；：！？]+|[\s.,;:!?。，；：！？]+$/g,
    '',
  );
}

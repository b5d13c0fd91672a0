/** Estimates the tokens of a text, a message or a tool list on the high side, calibrates that, and cuts texts by it. */
import { takeRuns } from './encoded-data.ts';
import { readForeignFile, getImageSize } from './images.ts';
import type { Block, Message, ToolDefinition, ToolResultBlock } from './message.ts';

/** The API scales larger images down, and counts no image higher than the most (docs/internals/api-rules.md §2.7). */
const IMAGE = { longest: 2576, pixelsPerToken: 740, patch: 28, most: 4784 };
const MESSAGE_OVERHEAD = 4;
const BLOCK_OVERHEAD = 4;
const TOOL_OVERHEAD = 12;
/** JSON, logs and code have fewer characters per token than prose. */
const ASCII_CHARS_PER_TOKEN = 2.5;

/** The kind of each ASCII character; runs of one kind are counted together. A table, for speed on every text. */
const [LETTER, DIGIT, SPACE, MARK] = [0, 1, 2, 3];
const CHARACTER_KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return DIGIT;
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return LETTER;
  return code === 32 || (code >= 9 && code <= 13) ? SPACE : MARK;
});

function estimateRun(kind: number | undefined, length: number): number {
  if (kind === LETTER) return Math.ceil(length / 4);
  if (kind === DIGIT) return Math.ceil(length / 3);
  if (kind === SPACE) return length > 1 ? 1 : 0;
  return length;
}

/** Encoded bytes change between capitals, small letters, digits and marks at about every second character; words do not. */
const ENCODED_CHANGES = 0.35;
/** A line of base64 in a certificate has 64 characters. */
const LEAST_ENCODED = 60;

/** Counts each character of encoded data, such as base64, as one token. */
export function estimateText(text: string): number {
  const { rest, taken } = takeRuns(text, LEAST_ENCODED, isEncoded);
  return taken + estimateWords(rest);
}

function isEncoded(run: string): boolean {
  const changes = run.match(/[A-Z]+|[a-z]+|\d+|[^A-Za-z\d]+/g)?.length ?? 0;
  return changes > run.length * ENCODED_CHANGES;
}

/** Counts a Chinese, Japanese or Korean character as about one token, and half an emoji as well. */
function estimateWords(text: string): number {
  let ascii = 0;
  let asciiTokens = 0;
  let otherTokens = 0;
  for (let start = 0; start < text.length;) {
    const code = text.charCodeAt(start);
    const end = code < 128 ? findAsciiEnd(text, start, CHARACTER_KINDS[code]) : findOtherEnd(text, start, code > 0x6ff);
    const length = end - start;
    if (code < 128) {
      ascii += length;
      asciiTokens += estimateRun(CHARACTER_KINDS[code], length);
    } else otherTokens += code > 0x6ff ? length : Math.ceil(length / 2);
    start = end;
  }
  return Math.max(asciiTokens, Math.ceil(ascii / ASCII_CHARS_PER_TOKEN)) + otherTokens;
}

function findAsciiEnd(text: string, start: number, kind: number | undefined): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code >= 128 || CHARACTER_KINDS[code] !== kind) break;
  }
  return end;
}

/** Finds the end of a run of non-Latin letters, or of the denser scripts above U+06FF. */
function findOtherEnd(text: string, start: number, dense: boolean): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code < 128 || code > 0x6ff !== dense) break;
  }
  return end;
}

/** A block is counted for every request that it goes with, and never changes. */
const BLOCK_TOKENS = new WeakMap<Block, number>();

export function estimateBlock(block: Block): number {
  const known = BLOCK_TOKENS.get(block) ?? countBlock(block);
  BLOCK_TOKENS.set(block, known);
  return known;
}

function countBlock(block: Block): number {
  switch (block.type) {
    case 'text':
      return BLOCK_OVERHEAD + estimateText(block.text);
    case 'image':
      return BLOCK_OVERHEAD + estimateImage(getImageSize(block));
    case 'thinking':
      // When the text is omitted, the signature contains it in encrypted form.
      return BLOCK_OVERHEAD + Math.max(estimateText(block.thinking), Math.ceil(block.signature.length / 4));
    case 'redacted_thinking':
      return BLOCK_OVERHEAD + Math.ceil(block.data.length / 4);
    case 'tool_use':
      return TOOL_OVERHEAD + estimateText(block.name) + estimateText(JSON.stringify(block.input));
    case 'tool_result':
      return TOOL_OVERHEAD + estimateResult(block);
    case 'compaction':
      return BLOCK_OVERHEAD + estimateText(block.content);
    case 'unknown':
      return BLOCK_OVERHEAD + estimateForeignPart(block.wire);
    default:
      return block satisfies never;
  }
}

/** Models count pixels or patches, whichever the vendor describes: the higher number holds. */
function estimateImage(size: { width: number; height: number } | undefined): number {
  if (size === undefined) return IMAGE.most;
  const scale = Math.min(1, IMAGE.longest / Math.max(size.width, size.height));
  const [width, height] = [size.width * scale, size.height * scale];
  const patches = Math.ceil(width / IMAGE.patch) * Math.ceil(height / IMAGE.patch);
  return Math.min(IMAGE.most, Math.max(patches, Math.ceil((width * height) / IMAGE.pixelsPerToken)));
}

const LEAST_FILE_CHARS = 2000;
/** A page is read as text and as an image; the smallest pages of real documents have about this many bytes. */
const PDF = { pageTokens: 3000, bytesPerPage: 10_000, mostPages: 100 };
/** Sounds and other files, which no model reads as text. */
const FILE_CHARS_PER_TOKEN = 64;

/** Words are counted as text, and a file by what models read in it. */
function estimateForeignPart(wire: Readonly<Record<string, unknown>>): number {
  const { rest, taken } = takeRuns(JSON.stringify(wire), LEAST_FILE_CHARS);
  const own = estimateText(rest);
  const file = readForeignFile(wire);
  if (file === undefined) return own + Math.ceil(taken / FILE_CHARS_PER_TOKEN);
  if (file.mediaType === 'application/pdf') return own + countPages(file.data) * PDF.pageTokens;
  const source = { type: 'base64' as const, media_type: file.mediaType, data: file.data };
  return own + estimateImage(getImageSize({ type: 'image', source }));
}

/** Some writers compress the objects that name the pages: then the size of the file gives the number. */
function countPages(data: string): number {
  const named = Buffer.from(data, 'base64')
    .toString('latin1')
    .match(/\/Type\s*\/Page\b/g)?.length;
  return named ?? Math.min(PDF.mostPages, Math.ceil((data.length * 3) / 4 / PDF.bytesPerPage));
}

function estimateResult(block: ToolResultBlock): number {
  if (block.content === undefined) return 0;
  if (typeof block.content === 'string') return estimateText(block.content);
  return block.content.reduce((sum, part) => sum + estimateBlock(part), 0);
}

export function estimateTexts(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateText(text), 0);
}

export function estimateMessages(messages: readonly Pick<Message, 'content'>[]): number {
  let sum = 0;
  for (const message of messages) {
    sum += MESSAGE_OVERHEAD;
    for (const block of message.content) sum += estimateBlock(block);
  }
  return sum;
}

/** Estimates the part of a request that compaction cannot reduce: system prompt and tool definitions. */
export function estimateFloor(system: readonly string[], tools: readonly ToolDefinition[]): number {
  const prompt = system.reduce((sum, text) => sum + BLOCK_OVERHEAD + estimateText(text), 0);
  return tools.reduce((sum, tool) => sum + TOOL_OVERHEAD + estimateText(JSON.stringify(tool)), prompt);
}

/** Returns the factor for the estimate, learned from calls with known input; 1 until there are any. */
export function computeCalibration(
  samples: readonly { estimated: number; measured: number }[],
  bounds: { min: number; max: number },
): number {
  const estimated = samples.reduce((sum, sample) => sum + sample.estimated, 0);
  const measured = samples.reduce((sum, sample) => sum + sample.measured, 0);
  if (estimated <= 0 || measured <= 0) return 1;
  return Math.min(bounds.max, Math.max(bounds.min, measured / estimated));
}

/** Takes head or tail of a text by characters or tokens, never half a pair (docs/internals/compaction-cases.md T9). */
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
  const longest = findLongestFit(text, tokens, (chars) => text.slice(0, chars));
  return takeHead(text, longest);
}

export function takeTailByTokens(text: string, tokens: number): string {
  const longest = findLongestFit(text, tokens, (chars) => text.slice(text.length - chars));
  return takeTail(text, longest);
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

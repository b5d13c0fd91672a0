/** Estimates the tokens of a request by the script of its text, with the factor of the model's tokenizer. */
import { readImageFacts } from '../../../transcript/image-facts.ts';
import type { ContentBlock, ToolParam } from './shape.ts';

/** Han, kana, Hangul and full-width forms take about one token for each character. */
const DENSE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\u{20000}-\u{323af}]/gu;
const CHARACTERS_PER_TOKEN = 3.3;
/** An image is scaled to these pixels on its longer side; this many of them take one token. */
const IMAGE = { longest: 2000, pixelsPerToken: 750, unknown: 1600 };
const DOCUMENT_TOKENS = 3000;

/** Tokens that a request costs in addition to its text: once, for each message, for each tool. */
export const OVERHEAD = { request: 8, message: 4, tool: 24 } as const;

/** Not rounded, so that the parts add up to the whole. */
export function textTokens(text: string, factor: number): number {
  let dense = 0;
  const rest = text.replace(DENSE, () => {
    dense += 1;
    return '';
  });
  return (dense + rest.length / CHARACTERS_PER_TOKEN) * factor;
}

/** A thinking block counts the tokens in its signature, which may exceed the shown text. */
export function blockTokens(block: ContentBlock, factor: number): number {
  switch (block.type) {
    case 'text':
      return textTokens(block.text, factor);
    case 'image':
      return imageTokens(block.source);
    case 'document':
      return DOCUMENT_TOKENS;
    case 'thinking':
      return textTokens(block.thinking, factor);
    case 'redacted_thinking':
      return textTokens(block.data, factor);
    case 'web_search_tool_result':
      return textTokens(JSON.stringify(block.content), factor) + OVERHEAD.message;
    case 'server_tool_use':
    case 'tool_use':
      return textTokens(block.name + JSON.stringify(block.input), factor) + OVERHEAD.message;
    case 'tool_result':
      return resultTokens(block.content, factor) + OVERHEAD.message;
    case 'compaction':
      return textTokens(block.content ?? '', factor);
    default:
      return block satisfies never;
  }
}

function imageTokens(source: Extract<ContentBlock, { type: 'image' }>['source']): number {
  const facts = source.type === 'base64' ? readImageFacts(Buffer.from(source.data, 'base64')) : undefined;
  if (facts === undefined) return IMAGE.unknown;
  const scale = Math.min(1, IMAGE.longest / Math.max(facts.width, facts.height));
  return Math.ceil((facts.width * facts.height * scale ** 2) / IMAGE.pixelsPerToken);
}

function resultTokens(content: string | ContentBlock[] | undefined, factor: number): number {
  if (content === undefined) return 0;
  if (typeof content === 'string') return textTokens(content, factor);
  return content.reduce((sum, block) => sum + blockTokens(block, factor), 0);
}

export function toolTokens(tool: ToolParam, factor: number): number {
  return (
    textTokens(`${tool.name} ${tool.description ?? ''} ${JSON.stringify(tool.input_schema)}`, factor) + OVERHEAD.tool
  );
}

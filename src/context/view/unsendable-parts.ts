/** Parts that cannot be sent as they are become text with a line that says so: nothing that was said or called is lost. */
import { takeHead } from '../../transcript/tokens.ts';
import { readServerCall, readServerResult } from '../../transcript/call-pairs.ts';
import type { Block, Message, ToolResultBlock, ToolUseBlock } from '../../transcript/message.ts';

/** The most characters of one part; the entry has all of them. */
const MOST_CHARS = 4000;

/** Kinds of parts that stand in answers alone, and those that never do, of every API. */
const IN_ANSWERS = new Set(['tool_use', 'thinking', 'redacted_thinking', 'compaction', 'reasoning']);
const OUTSIDE_ANSWERS = new Set([
  ...['tool_result', 'image', 'document', 'search_result', 'container_upload'],
  ...['image_url', 'input_audio'],
]);

/** A part that a message of this role cannot hold becomes text; a system message is shown as one of the user. */
export function toPlaceable(block: Block, role: Message['role']): Block {
  const type = block.type === 'unknown' ? block.wire.type : block.type;
  if (role === 'assistant' ? !OUTSIDE_ANSWERS.has(type) : !isOfAnswer(block, type))
    return withoutCitations(block, role);
  const shown = block.type === 'image' ? block.source.media_type : describePart(block);
  return { type: 'text', text: `[A part of type ${type}, which no message of this role can hold: ${cut(shown)}]` };
}

function isOfAnswer(block: Block, type: string): boolean {
  return IN_ANSWERS.has(type) || readServerCall(block) !== undefined || readServerResult(block) !== undefined;
}

/** A text that is pushed on from an answer may cite nothing in words of the user. */
function withoutCitations(block: Block, role: Message['role']): Block {
  if (block.type !== 'text' || role === 'assistant' || !('citations' in block)) return block;
  const { citations: _citations, ...text } = block;
  return text;
}

export function describePart(block: Block): string {
  return JSON.stringify(block.type === 'unknown' ? block.wire : block).toWellFormed();
}

/** No API takes an error that is more than text: then a line says that it is one. */
export function withoutErrorMark(block: ToolResultBlock): ToolResultBlock {
  const { is_error: isError, content, ...result } = block;
  if (isError !== true || !Array.isArray(content) || content.every(isPlainText)) return block;
  return { ...result, content: [{ type: 'text', text: '[The tool reports an error.]' }, ...content] };
}

/** A text may stand for a part of another kind. */
function isPlainText(part: Block): boolean {
  return part.type === 'text' && !('wire' in part);
}

/** A result without an open call, such as a late one. Where the call has its result already, only the entry is named. */
export function describeStray(block: ToolResultBlock, entry: string, earlier: ToolResultBlock | undefined): Block[] {
  const { tool_use_id: id, content } = block;
  if (content === undefined || JSON.stringify(content) === JSON.stringify(earlier?.content)) return [];
  if (earlier !== undefined)
    return [{ type: 'text', text: `[Entry ${entry} has another result for the call ${id}, which is left out.]` }];
  const line = `[A result for the call ${id || 'without an id'}, which waits for none here:]`;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return [{ type: 'text', text: line }, ...parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')];
}

/** The result of a call whose input was no JSON object begins with what the model wrote. */
export function withMalformedInput(block: ToolResultBlock, { malformed }: ToolUseBlock): ToolResultBlock {
  if (malformed === undefined) return block;
  const text = `[The input of this call was no JSON object, and stands as {}. The model wrote: ${cut(malformed)}]`;
  const { content } = block;
  if (Array.isArray(content)) return { ...block, content: [{ type: 'text', text }, ...content] };
  return { ...block, content: content === undefined ? text : `${text}\n${content}` };
}

function cut(text: string): string {
  const head = takeHead(text, MOST_CHARS).toWellFormed();
  return head.length < text.length ? `${head} (… ${text.length} characters in all)` : head;
}

/** Converts blocks of the core into parts of the AI SDK's messages. */
import type { Block, ToolResultBlock, ToolUseBlock } from '../../transcript/message.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import type { AiCallPart, AiFilePart, AiImagePart, AiOutput, AiOutputPart } from './ai-types.ts';
import type { AiReasoningPart, AiResultPart, AiTextPart, ProviderOptions } from './ai-types.ts';
import { getField, getOtherFields, getWirePart } from './shape.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

type UserPart = AiTextPart | AiImagePart | AiFilePart;
type AnswerPart = AiTextPart | AiFilePart | AiReasoningPart | AiCallPart;

/** Fields came in through this same shape and are never changed. Contexts of an earlier version have the options alone. */
function writeFields(block: Block): { providerOptions?: ProviderOptions } {
  const options = getField(block, 'providerOptions');
  return {
    ...(isJsonObject(options) ? { providerOptions: options as ProviderOptions } : {}),
    ...getOtherFields(block),
  };
}

export function toUserParts(content: readonly Block[]): UserPart[] {
  return content.flatMap((block): UserPart[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text, ...writeFields(block) }];
    if (block.type === 'image' && block.source.type === 'base64')
      return [{ type: 'image', image: block.source.data, mediaType: block.source.media_type, ...writeFields(block) }];
    return block.type === 'unknown' ? [block.wire as unknown as UserPart] : [];
  });
}

export function toAnswerParts(content: readonly Block[]): AnswerPart[] {
  return content.flatMap((block): AnswerPart[] => {
    switch (block.type) {
      case 'text':
        return [{ type: 'text', text: block.text, ...writeFields(block) }];
      case 'thinking':
        return [{ type: 'reasoning', text: block.thinking, ...writeFields(block) }];
      case 'redacted_thinking':
        return [{ type: 'reasoning', text: '', ...writeFields(block) }];
      case 'tool_use':
        return [toCallPart(block)];
      case 'unknown':
        return [block.wire as unknown as AnswerPart];
      default:
        return [];
    }
  });
}

function toCallPart(block: ToolUseBlock): AiCallPart {
  const { id, name, input } = block;
  return { type: 'tool-call', toolCallId: id, toolName: name, input, ...writeFields(block) };
}

export function toAiResultPart(block: ToolResultBlock, toolName: string): AiResultPart {
  return {
    type: 'tool-result',
    toolCallId: block.tool_use_id,
    toolName,
    output: toAiOutput(block),
    ...writeFields(block),
  };
}

const WHOLE = new Set(['json', 'error-json', 'execution-denied']);

function toAiOutput(block: ToolResultBlock): AiOutput {
  const { content } = block;
  const [only] = Array.isArray(content) ? content : [];
  const wire = only && getWirePart(only);
  // The output is passed on unchanged, unless a pass has shortened it.
  if (wire !== undefined && WHOLE.has(wire.type)) return wire as unknown as AiOutput;
  if (!Array.isArray(content))
    return { type: block.is_error === true ? 'error-text' : 'text', value: getResultText(block) };
  const value = content.flatMap((part): AiOutputPart[] => {
    const passedOn = getWirePart(part);
    if (passedOn !== undefined) return [passedOn as unknown as AiOutputPart];
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    const { source } = part;
    return source.type === 'base64' ? [{ type: 'image-data', data: source.data, mediaType: source.media_type }] : [];
  });
  return { type: 'content', value };
}

/** Blocks of the core as parts of the AI SDK's messages. */
import type { Block, ToolResultBlock, ToolUseBlock } from '../../transcript/message.ts';
import { resultText } from '../../transcript/transcript-lines.ts';
import type { AiCallPart, AiFilePart, AiImagePart, AiOutput, AiOutputPart } from './ai-types.ts';
import type { AiReasoningPart, AiResultPart, AiTextPart, ProviderOptions } from './ai-types.ts';
import { fieldOf, wireOf } from './shape.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

type UserPart = AiTextPart | AiImagePart | AiFilePart;
type AnswerPart = AiTextPart | AiFilePart | AiReasoningPart | AiCallPart;

/** They came in as parts of this very shape, and nobody changes them. */
function optionsOf(block: Block): { providerOptions?: ProviderOptions } {
  const options = fieldOf(block, 'providerOptions');
  return isJsonObject(options) ? { providerOptions: options as ProviderOptions } : {};
}

export function userPartsOf(content: readonly Block[]): UserPart[] {
  return content.flatMap((block): UserPart[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text, ...optionsOf(block) }];
    if (block.type === 'image' && block.source.type === 'base64')
      return [{ type: 'image', image: block.source.data, mediaType: block.source.media_type }];
    return block.type === 'unknown' ? [block.wire as unknown as UserPart] : [];
  });
}

export function answerPartsOf(content: readonly Block[]): AnswerPart[] {
  return content.flatMap((block): AnswerPart[] => {
    switch (block.type) {
      case 'text':
        return [{ type: 'text', text: block.text, ...optionsOf(block) }];
      case 'thinking':
        return [{ type: 'reasoning', text: block.thinking, ...optionsOf(block) }];
      case 'redacted_thinking':
        return [{ type: 'reasoning', text: '', ...optionsOf(block) }];
      case 'tool_use':
        return [callOf(block)];
      case 'unknown':
        return [block.wire as unknown as AnswerPart];
      default:
        return [];
    }
  });
}

function callOf(block: ToolUseBlock): AiCallPart {
  const { id, name, input } = block;
  const given = fieldOf(block, 'bare') === true ? input['value'] : input;
  return { type: 'tool-call', toolCallId: id, toolName: name, input: given, ...optionsOf(block) };
}

export function resultPartOf(block: ToolResultBlock, toolName: string): AiResultPart {
  return { type: 'tool-result', toolCallId: block.tool_use_id, toolName, output: outputOf(block) };
}

const WHOLE = new Set(['json', 'error-json', 'execution-denied']);

function outputOf(block: ToolResultBlock): AiOutput {
  const { content } = block;
  const [only] = Array.isArray(content) ? content : [];
  const wire = only && wireOf(only);
  // The output as it came, unless a pass has shortened it.
  if (wire !== undefined && WHOLE.has(wire.type)) return wire as unknown as AiOutput;
  if (!Array.isArray(content))
    return { type: block.is_error === true ? 'error-text' : 'text', value: resultText(block) };
  const value = content.flatMap((part): AiOutputPart[] => {
    const passedOn = wireOf(part);
    if (passedOn !== undefined) return [passedOn as unknown as AiOutputPart];
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    const { source } = part;
    return source.type === 'base64' ? [{ type: 'image-data', data: source.data, mediaType: source.media_type }] : [];
  });
  return { type: 'content', value };
}

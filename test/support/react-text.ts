/** A view as ReAct text, in which golden files show what a model reads. */
import type { Block, Message } from '../../src/transcript/message.ts';
import { getResultText } from '../../src/transcript/transcript-lines.ts';

export function renderReact(messages: readonly Message[]): string {
  return messages.flatMap(({ role, content }) => formatReactMessage(role, content)).join('\n\n');
}

function formatReactMessage(role: Message['role'], content: readonly Block[]): string[] {
  if (role === 'assistant') {
    const lines = content.flatMap(formatReactBlock);
    const calls = content.some(({ type }) => type === 'tool_use');
    return lines.length === 0 ? [] : [`[assistant] ${[...lines, ...(calls ? [] : ['Action: Finish[]'])].join('\n')}`];
  }
  return content.flatMap((block) => {
    if (block.type === 'tool_result') return [`[tool] ${JSON.stringify(toObservation(block))}`];
    if (block.type === 'image') return [`[${role}] (image ${block.source.media_type})`];
    return block.type === 'text' ? [`[${role}] ${block.text}`] : [];
  });
}

function formatReactBlock(block: Block): string[] {
  if (block.type === 'text') return [`Thought: ${block.text}`];
  if (block.type === 'compaction') return [`Thought: ${block.content}`];
  return block.type === 'tool_use' ? [`Action: ${block.name}[${JSON.stringify(block.input)}]`] : [];
}

function toObservation(block: Extract<Block, { type: 'tool_result' }>): Record<string, string> {
  const text = getResultText(block);
  return block.is_error === true ? { status: 'error', error: text } : { status: 'success', data: text };
}

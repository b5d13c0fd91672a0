/** A view as ReAct text, with thoughts, actions and tool results, for logs, pages, and models that take text only (S1.16). */
import { resultText } from './transcript-lines.ts';
import type { Block, Message } from './message.ts';

export function renderReact(messages: readonly Message[]): string {
  return messages.flatMap(({ role, content }) => sections(role, content)).join('\n\n');
}

function sections(role: Message['role'], content: readonly Block[]): string[] {
  if (role === 'assistant') {
    const lines = content.flatMap(blockLines);
    const calls = content.some(({ type }) => type === 'tool_use');
    return lines.length === 0 ? [] : [`[assistant] ${[...lines, ...(calls ? [] : ['Action: Finish[]'])].join('\n')}`];
  }
  return content.flatMap((block) => {
    if (block.type === 'tool_result') return [`[tool] ${JSON.stringify(observation(block))}`];
    if (block.type === 'image') return [`[${role}] (image ${block.source.media_type})`];
    return block.type === 'text' ? [`[${role}] ${block.text}`] : [];
  });
}

function blockLines(block: Block): string[] {
  if (block.type === 'text') return [`Thought: ${block.text}`];
  if (block.type === 'compaction') return [`Thought: ${block.content}`];
  return block.type === 'tool_use' ? [`Action: ${block.name}[${JSON.stringify(block.input)}]`] : [];
}

function observation(block: Extract<Block, { type: 'tool_result' }>): Record<string, string> {
  const text = resultText(block);
  return block.is_error === true ? { status: 'error', error: text } : { status: 'success', data: text };
}

/** The next action after a response: every stop reason has one treatment (docs/api-rules.md §2.8). */
import { type Message, type ToolUseBlock, textOf, toolUses } from '../transcript/message.ts';
import type { ModelResponse } from '../ports/model.ts';

export type NextAction =
  | { next: 'run_tools'; message: Message; calls: ToolUseBlock[] }
  | { next: 'end'; message: Message; text: string }
  /** The answer was cut: its text stays, a tool call in it is never run. */
  | { next: 'go_on'; message: Message | undefined; because: 'cut' | 'empty' }
  | { next: 'compact' }
  | { next: 'give_up'; why: string };

export function interpret(response: ModelResponse): NextAction {
  const message: Message = { role: 'assistant', content: sendableBlocks(response.content) };
  const calls = toolUses(message);
  switch (response.stopReason) {
    case 'tool_use':
      // The text instead of a call stays.
      return calls.length > 0
        ? { next: 'run_tools', message, calls }
        : { next: 'go_on', message: withoutCalls(message), because: 'empty' };
    case 'end_turn':
    case 'stop_sequence':
      if (calls.length > 0) return { next: 'run_tools', message, calls };
      return textOf(message).trim() === ''
        ? { next: 'go_on', message: undefined, because: 'empty' }
        : { next: 'end', message, text: textOf(message) };
    case 'max_tokens':
      return { next: 'go_on', message: withoutCalls(message), because: 'cut' };
    case 'model_context_window_exceeded':
      return { next: 'compact' };
    case 'refusal':
      return { next: 'give_up', why: 'the model refused to answer (stop reason refusal)' };
    case 'pause_turn':
    case 'compaction':
      return { next: 'give_up', why: `the API stopped with ${response.stopReason}, which no request of ours asks for` };
    default:
      return response.stopReason satisfies never;
  }
}

/** Whitespace-only text is a 400 when it is sent back (docs/api-rules.md §2.2). */
function sendableBlocks(blocks: ModelResponse['content']): Message['content'] {
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

function withoutCalls(message: Message): Message | undefined {
  const content = message.content.filter((block) => block.type !== 'tool_use');
  return content.some((block) => block.type === 'text') ? { role: 'assistant', content } : undefined;
}

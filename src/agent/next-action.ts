/** The next action after a response or a refused request; what either means is in `ports/answer-meaning.ts`. */
import { type Message, type ToolUseBlock, textOf, toolUses } from '../transcript/message.ts';
import { messageOf } from '../errors.ts';
import { judgeAnswer, meaningIn } from '../ports/answer-meaning.ts';
import type { ModelRequest, ModelResponse } from '../ports/model.ts';

export type NextAction =
  | { next: 'run_tools'; message: Message; calls: ToolUseBlock[] }
  | { next: 'end'; message: Message; text: string }
  /** The answer was cut: its text stays, a tool call in it is never run. */
  | { next: 'go_on'; message: Message | undefined; because: 'cut' | 'empty' }
  /** The request once more after a compaction, without thinking, or to the agent's other model; `why` if that is in vain. */
  | { next: Repair; why: string }
  | { next: 'give_up'; why: string };

export type Repair = 'compact' | 'drop_thinking' | 'fall_back';

export function interpret(response: ModelResponse, request: ModelRequest): NextAction {
  const judged = judgeAnswer(response, request, 'agent');
  if (judged.means !== 'use') return { next: REPAIRS[judged.means], why: judged.why };
  const message: Message = { role: 'assistant', content: sendableBlocks(response.content) };
  const calls = toolUses(message);
  if (response.stopReason === 'max_tokens') return { next: 'go_on', message: withoutCalls(message), because: 'cut' };
  if (calls.length > 0) return { next: 'run_tools', message, calls };
  // The text instead of a call stays.
  if (response.stopReason === 'tool_use') return { next: 'go_on', message: withoutCalls(message), because: 'empty' };
  return textOf(message).trim() === ''
    ? { next: 'go_on', message: withoutCalls(message), because: 'empty' }
    : { next: 'end', message, text: textOf(message) };
}

const REPAIRS = { compact: 'compact', fallback: 'fall_back', again: 'give_up' } as const;

/** A refused request that can be repaired; undefined for every other error. */
export function repairFor(error: unknown): NextAction | undefined {
  const means = meaningIn(error);
  if (means === 'compact') return { next: 'compact', why: messageOf(error) };
  return means === 'without_thinking' ? { next: 'drop_thinking', why: messageOf(error) } : undefined;
}

/** Whitespace-only text is a 400 when it is sent back (docs/api-rules.md §2.2). */
function sendableBlocks(blocks: ModelResponse['content']): Message['content'] {
  return blocks.filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

function withoutCalls(message: Message): Message | undefined {
  const content = message.content.filter((block) => block.type !== 'tool_use');
  return content.some(({ type }) => type === 'text' || type === 'unknown') ? { role: 'assistant', content } : undefined;
}

/** Chooses the next action after a response or a refused request; `ports/answer-meaning.ts` says what either means. */
import { type Message, type ToolUseBlock, getText, listToolUses } from '../transcript/message.ts';
import { describeError } from '../errors.ts';
import { judgeAnswer, readMeaning } from '../ports/answer-meaning.ts';
import type { ModelRequest, ModelResponse } from '../ports/model.ts';

export type NextAction =
  | { next: 'run_tools'; message: Message; calls: ToolUseBlock[] }
  | { next: 'end'; message: Message; text: string }
  /** The answer was cut: its text stays, and a tool call in it is never run. */
  | { next: 'go_on'; message: Message | undefined; because: 'cut' | 'empty' }
  /** The server goes on with this answer, so the next request ends with it as it is. */
  | { next: 'go_on'; message: Message; because: 'paused' }
  /** Repeats the request after a compaction, without thinking, or with the fallback model; `why` explains a failure. */
  | { next: Repair; why: string }
  | { next: 'give_up'; why: string };

export type Repair = 'compact' | 'drop_thinking' | 'fall_back';

export function chooseNextAction(response: ModelResponse, request: ModelRequest): NextAction {
  const judged = judgeAnswer(response, request, 'agent');
  if (judged.means !== 'use') return { next: REPAIRS[judged.means], why: judged.why };
  // Whitespace alone is a 400 when it is sent back (docs/internals/api-rules.md §2.2).
  const content = response.content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  const message: Message = { role: 'assistant', content };
  const calls = listToolUses(message);
  if (response.stopReason === 'max_tokens') return { next: 'go_on', message: withoutCalls(message), because: 'cut' };
  if (calls.length > 0) return { next: 'run_tools', message, calls };
  if (response.stopReason === 'pause_turn' && message.content.some(isSendable))
    return { next: 'go_on', message, because: 'paused' };
  // The text that came in place of a call stays.
  if (response.stopReason === 'tool_use') return { next: 'go_on', message: withoutCalls(message), because: 'empty' };
  return getText(message).trim() === ''
    ? { next: 'go_on', message: withoutCalls(message), because: 'empty' }
    : { next: 'end', message, text: getText(message) };
}

const REPAIRS = { compact: 'compact', fallback: 'fall_back', again: 'give_up' } as const;

/** Returns the repair for a refused request; undefined for every other error. */
export function repairFor(error: unknown): NextAction | undefined {
  const means = readMeaning(error);
  if (means === 'compact') return { next: 'compact', why: describeError(error) };
  return means === 'without_thinking' ? { next: 'drop_thinking', why: describeError(error) } : undefined;
}

function withoutCalls(message: Message): Message | undefined {
  const content = message.content.filter((block) => block.type !== 'tool_use');
  return content.some(isSendable) ? { role: 'assistant', content } : undefined;
}

/** Thinking alone is no message. */
function isSendable({ type }: Message['content'][number]): boolean {
  return type === 'text' || type === 'unknown';
}

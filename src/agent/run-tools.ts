/** tool_use blocks become tool_result blocks: one for one, in order, and never an exception for what a tool does. */
import type { Message, ToolResultBlock, ToolUseBlock } from '../transcript/message.ts';
import type { ToolAnswer, ToolHost } from '../ports/tool-host.ts';

/** Calls run one after the other, because the result of a write depends on the order. */
export async function runTools(
  calls: readonly ToolUseBlock[],
  hosts: readonly ToolHost[],
  signal: AbortSignal,
): Promise<Message> {
  const content: ToolResultBlock[] = [];
  for (const call of calls) {
    signal.throwIfAborted();
    const host = hosts.find((candidate) => candidate.definitions.some((tool) => tool.name === call.name));
    const answer: ToolAnswer =
      host === undefined
        ? { content: `No tool is named ${call.name}. There are: ${toolNames(hosts)}.`, is_error: true }
        : await host.call(call.name, call.input, signal);
    content.push({
      type: 'tool_result',
      tool_use_id: call.id,
      content: contentOf(answer),
      is_error: answer.is_error,
    });
  }
  return { role: 'user', content };
}

function contentOf({ content, images = [] }: ToolAnswer): NonNullable<ToolResultBlock['content']> {
  const text = sendable(content);
  return images.length === 0 ? text : [{ type: 'text', text }, ...images];
}

/** An empty or ill-formed text would make the next request invalid (docs/api-rules.md §2.2). */
function sendable(text: string): string {
  const whole = text.toWellFormed();
  return whole.trim() === '' ? '(no output)' : whole;
}

function toolNames(hosts: readonly ToolHost[]): string {
  return hosts.flatMap((host) => host.definitions.map((tool) => tool.name)).join(', ');
}

/** The messages of an Inspect sample as the lines of a trace, and the lines of a trace as messages of Inspect. */
import type { StopCause, TraceLine } from '../../scenario/trace.ts';
import { importedTrace } from '../imported-results.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { recordedText } from '../tau/runs/message-shapes.ts';
import type { InspectMessage, InspectSample } from './shapes.ts';

export function inspectTrace(
  { messages, epoch }: InspectSample,
  { sample, model, stop, durationMs }: { sample: string; model: string; stop: StopCause; durationMs: number },
): TraceLine[] {
  const lines: TraceLine[] = [];
  let step = 0;
  for (const [index, message] of messages.entries()) {
    const text = spokenText(message.content);
    if (message.role === 'user') lines.push({ type: 'user', step, text });
    if (message.role !== 'assistant') continue;
    step += 1;
    if (text.trim() !== '') lines.push({ type: 'says', step, text });
    for (const { id, function: tool, arguments: input } of message.tool_calls ?? []) {
      const answer = messages.slice(index + 1).find((other) => other.role === 'tool' && other.tool_call_id === id);
      const output = answer?.error?.message ?? recordedText(answer?.content);
      const is_error = answer === undefined || (answer.error !== null && answer.error !== undefined);
      lines.push({ type: 'call', step, tool, input, output, is_error, change: [] });
    }
  }
  return importedTrace({ sample, trial: epoch, model, inputs: '' }, lines, { stop, costUsd: 0, durationMs });
}

/** Without the thinking of the model. */
function spokenText(content: unknown): string {
  if (!Array.isArray(content)) return recordedText(content);
  return content
    .flatMap((part: unknown) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

export function inspectMessages(lines: readonly TraceLine[]): InspectMessage[] {
  return lines.flatMap((line, index): InspectMessage[] => {
    if (line.type === 'user') return [{ role: 'user', content: line.text }];
    if (line.type === 'says') return [{ role: 'assistant', content: line.text }];
    if (line.type !== 'call') return [];
    const id = `call-${index}`;
    const text = typeof line.output === 'string' ? line.output : JSON.stringify(line.output);
    return [
      { role: 'assistant', content: '', tool_calls: [{ id, function: line.tool, arguments: line.input }] },
      {
        role: 'tool',
        content: text,
        tool_call_id: id,
        function: line.tool,
        ...(line.is_error ? { error: { type: 'unknown', message: text } } : {}),
      },
    ];
  });
}

/** Writes one conversation as each known recorder does. */
import type { LoanStep } from './loan-desk.ts';

type Json = Record<string, unknown>;
export type Form = 'atif' | 'otel' | 'langfuse' | 'claude-code' | 'openai';
export const FORMS: readonly Form[] = ['atif', 'otel', 'langfuse', 'claude-code', 'openai'];

const WRITERS: Record<Form, (steps: readonly LoanStep[], id: string) => string> = {
  atif: (steps, id) =>
    JSON.stringify({
      schema_version: 'ATIF-v1.4',
      session_id: id,
      agent: { name: 'desk', version: '1' },
      steps: steps.map((step, place) => {
        const base = { step_id: place + 1, timestamp: '2026-01-01T00:00:00Z' };
        if ('user' in step) return { ...base, source: 'user', message: step.user };
        if ('says' in step) return { ...base, source: 'agent', message: step.says };
        return {
          ...{ ...base, source: 'agent', message: '' },
          tool_calls: [{ tool_call_id: `c${place}`, function_name: step.tool, arguments: step.args }],
          observation: { results: [{ source_call_id: `c${place}`, content: JSON.stringify(step.output) }] },
        };
      }),
    }),
  otel: (steps, id) => {
    const messages = steps.flatMap((step, place): Json[] => {
      if ('user' in step) return [{ role: 'user', parts: [{ type: 'text', content: step.user }] }];
      if ('says' in step) return [{ role: 'assistant', parts: [{ type: 'text', content: step.says }] }];
      return [
        { role: 'assistant', parts: [{ type: 'tool_call', id: `c${place}`, name: step.tool, arguments: step.args }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: `c${place}`, response: step.output }] },
      ];
    });
    const text = (key: string, value: unknown): Json => ({ key, value: { stringValue: JSON.stringify(value) } });
    const spans = messages.flatMap((message, place) =>
      message['role'] === 'assistant' || place === messages.length - 1
        ? [
            {
              ...{
                traceId: id,
                spanId: `s${place}`,
                name: 'chat',
                startTimeUnixNano: String(1_700_000_000_000_000_000n + BigInt(place)),
              },
              attributes: [
                { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                text('gen_ai.input.messages', message['role'] === 'assistant' ? messages.slice(0, place) : messages),
                text('gen_ai.output.messages', message['role'] === 'assistant' ? [message] : []),
              ],
            },
          ]
        : [],
    );
    return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  },
  langfuse: (steps, id) => {
    const messages = toChat(steps);
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    const isAnswered = messages[last]?.['tool_calls'] === undefined;
    return JSON.stringify({
      id,
      sessionId: id,
      observations: [
        {
          ...{ id: 'g', traceId: id, type: 'GENERATION', name: 'chat', startTime: '2026-01-01T00:00:00Z' },
          input: isAnswered ? messages.slice(0, last) : messages,
          output: isAnswered ? messages[last] : null,
        },
      ],
    });
  },
  'claude-code': (steps, id) => {
    let parent: string | null = null;
    const lines = steps.flatMap((step, place) => {
      const blocks: [string, Json[]][] =
        'user' in step
          ? [['user', [{ type: 'text', text: step.user }]]]
          : 'says' in step
            ? [['assistant', [{ type: 'text', text: step.says }]]]
            : [
                ['assistant', [{ type: 'tool_use', id: `c${place}`, name: step.tool, input: step.args }]],
                ['user', [{ type: 'tool_result', tool_use_id: `c${place}`, content: JSON.stringify(step.output) }]],
              ];
      return blocks.map(([type, content], part) => {
        const uuid = `${id}-${place}-${part}`;
        const line = JSON.stringify({
          type,
          uuid,
          parentUuid: parent,
          sessionId: id,
          message: { role: type, content },
        });
        parent = uuid;
        return line;
      });
    });
    return `${lines.join('\n')}\n`;
  },
  openai: (steps) => `${JSON.stringify({ messages: toChat(steps) })}\n`,
};

export function writeTrace(form: Form, steps: readonly LoanStep[], id: string): string {
  return WRITERS[form](steps, id);
}

function toChat(steps: readonly LoanStep[]): Json[] {
  return steps.flatMap((step, place): Json[] => {
    if ('user' in step) return [{ role: 'user', content: step.user }];
    if ('says' in step) return [{ role: 'assistant', content: step.says }];
    const call = {
      id: `c${place}`,
      type: 'function',
      function: { name: step.tool, arguments: JSON.stringify(step.args) },
    };
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: `c${place}`, content: JSON.stringify(step.output) },
    ];
  });
}

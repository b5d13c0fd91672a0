/** Tool calls as spans: who called what, under the id that the model gave the call. */
import { expect, test } from 'vitest';
import { runTools } from '../../src/agent/run-tools.ts';
import { tracedTools } from '../../src/pipeline/spans.ts';
import { NO_TELEMETRY, type SpanFacts, type Telemetry } from '../../src/ports/telemetry.ts';
import type { ToolHost } from '../../src/ports/tools/tool-host.ts';

test('a call of a tool is told with its agent, its name and its id', async () => {
  const spans: SpanFacts[] = [];
  const telemetry: Telemetry = {
    ...NO_TELEMETRY,
    span: async (name, facts, work) => {
      let more: SpanFacts = {};
      const done = await work((added) => (more = added));
      spans.push({ name, ...facts, ...more });
      return done;
    },
  };
  const host: ToolHost = {
    definitions: [{ name: 'read', description: '', input_schema: { type: 'object' } }],
    call: (_name, input) => Promise.resolve({ content: '', is_error: input['path'] === 'none' }),
  };
  const call = (id: string, path: string) => ({ type: 'tool_use' as const, id, name: 'read', input: { path } });
  const calls = [call('toolu_1', 'a'), call('toolu_2', 'none')];
  await runTools(calls, [tracedTools(host, 'init', telemetry)], new AbortController().signal);
  const shared = { name: 'execute_tool read', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.agent.name': 'init' };
  const tool = { ...shared, 'gen_ai.tool.name': 'read' };
  expect(spans).toEqual([
    { ...tool, 'gen_ai.tool.call.id': 'toolu_1' },
    { ...tool, 'gen_ai.tool.call.id': 'toolu_2', 'error.type': 'tool_error' },
  ]);
});

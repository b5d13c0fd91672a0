/** A tool host whose every call is a span; never with arguments or results, which may hold secrets. */
import type { Telemetry } from '../../ports/telemetry.ts';
import type { ToolHost } from '../../ports/tool-host.ts';

export function tracedTools(host: ToolHost, agent: string, telemetry: Telemetry | undefined): ToolHost {
  if (telemetry === undefined) return host;
  const facts = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.agent.name': agent };
  return {
    ...host,
    call: (name, input, signal) =>
      telemetry.span(`execute_tool ${name}`, { ...facts, 'gen_ai.tool.name': name }, async (tell) => {
        const answer = await host.call(name, input, signal);
        if (answer.is_error) tell({ 'error.type': 'tool_error' });
        return answer;
      }),
  };
}

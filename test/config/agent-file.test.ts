/** The tools that an agent's file may name are those that there are. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readFileToolDefinitions } from '../../src/adapters/file-tools/schemas.ts';
import { AGENT_TOOLS, createAgentSchema } from '../../src/config/agent-file.ts';

test('names every file tool and every control tool that has a description', async () => {
  const described = Object.keys(parse(await readFile('prompts/control_tools.yaml', 'utf8')) as object);
  const all = [...readFileToolDefinitions().map(({ name }) => name), ...described];
  expect(AGENT_TOOLS.toSorted()).toEqual(all.toSorted());
});

test('a slip of the pen is refused with the nearest name, in both lists', async () => {
  const shipped = parse(await readFile('agents/init/agent.yaml', 'utf8')) as Record<string, unknown>;
  const subagent = { tools: ['raed', 'mcp:docs'], max_loops: 3 };
  const tools = ['read', 'call_subagent', 'wirte', 'mcp:doc'];
  const read = createAgentSchema(['docs'], { files: new Map(), refused: new Map() }).safeParse({
    ...shipped,
    tools,
    subagent,
  });
  expect(
    read.error?.issues.map(
      ({ path, message }) => `${path.join('.')}: ${message.split('.')[0]}.${message.split('.')[1] ?? ''}`,
    ),
  ).toEqual([
    expect.stringContaining('tools.2: no tool is named "wirte". Did you mean "write"?'),
    expect.stringContaining('tools.3: no server of this name under mcp: in config/default'),
    expect.stringContaining('subagent.tools.0: no tool is named "raed". Did you mean "read"?'),
  ]);
});

/** Tools of plugins for agents, as the tool servers of one session: each named tool is a server with one tool. */
import { describeError } from '../../errors.ts';
import { clipText, neutraliseText } from '../../report/text/sanitise.ts';
import type { ToolAnswer } from '../../ports/tools/tool-host.ts';
import type { OpenToolServers } from '../../ports/tools/tool-servers.ts';
import { callWithin, PLUGIN_PREFIX, type PluginTool } from '../../ports/plugins/plugins.ts';

type NamedPluginTool = { name: string; tool: PluginTool; fault: (error: unknown) => Error };

const SECONDS = 60;
/** The prefix keeps a plugin's tool from being taken for a tool of this program. */
const offeredName = (name: string): string => `plugin__${name}`;
const MOST_CHARS = 60_000;

/** Contract: a tool that throws or never answers is a failed call, never a failed run. */
export function openPluginTools(tools: readonly NamedPluginTool[]): OpenToolServers {
  const offered = tools.map(({ name, tool: { description, input_schema } }) => ({
    server: `${PLUGIN_PREFIX}${name}`,
    definitions: [{ name: offeredName(name), description, input_schema }],
    problems: [],
  }));
  return {
    offered,
    host: {
      definitions: offered.flatMap(({ definitions }) => definitions),
      async call(name, input, signal): Promise<ToolAnswer> {
        const found = tools.find((one) => offeredName(one.name) === name);
        if (found === undefined) return { content: `No tool is named ${name}.`, is_error: true };
        return callPluginTool(found, structuredClone(input), signal);
      },
    },
    close: () => Promise.resolve(),
  };
}

async function callPluginTool(
  { name, tool, fault }: NamedPluginTool,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { seconds = SECONDS } = tool;
  const late = AbortSignal.timeout(seconds * 1000);
  const within = AbortSignal.any([signal, late]);
  try {
    const given = await callWithin(within, () => tool.run(input, within));
    const text = typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
    return { content: clipText(neutraliseText(text), MOST_CHARS), is_error: false };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return { content: `${name} did not answer within ${seconds} s.`, is_error: true };
    return { content: clipText(neutraliseText(describeError(fault(error))), MOST_CHARS), is_error: true };
  }
}

/** Runs the project's own tools for the agents of one step in the sandbox; each conversation has its own world. */
import { HarnessError } from '../../errors.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import { openProjectTools, type ProjectTools } from '../../evaluation/proof/open-project-tools.ts';
import type { ToolAnswer, ToolHost } from '../../ports/tools/tool-host.ts';
import { clipText, neutraliseText } from '../../report/text/sanitise.ts';
import type { Deps } from '../deps.ts';

const MOST_CHARS = 60_000;

export type StepTools = {
  /** Creates the host of one conversation; `names` are the tools of its definition. */
  hostOf: (names: readonly string[]) => ToolHost;
  close: () => Promise<void>;
};

/**
 * Contract: `config_invalid` with file and line when a tool does not prove itself. Answers are not stored: a repeated
 * step calls again and gets the same, because a tool has neither clock nor chance nor network.
 */
export async function openStepTools(
  { projectTools }: Pick<LoadedAgent, 'projectTools'>,
  { sandbox }: Pick<Deps, 'sandbox'>,
  signal: AbortSignal,
): Promise<StepTools> {
  if (projectTools === undefined) return { hostOf: () => NO_TOOLS, close: () => Promise.resolve() };
  const open = await openProjectTools(projectTools, await sandbox(), signal);
  if (open.problems.length === 0) return { hostOf: (names) => createToolHost(open, names), close: () => open.close() };
  await open.close();
  throw new HarnessError('config_invalid', open.problems.join('\n'));
}

export const NO_TOOLS: ToolHost = {
  definitions: [],
  call: async (name) => ({ content: `No tool is named ${name}.`, is_error: true }),
};

/** Keeps the world between the calls of one conversation. */
function createToolHost({ tools, call }: ProjectTools, names: readonly string[]): ToolHost {
  let world = {};
  const definitions = tools
    .filter(({ name }) => names.includes(name))
    .map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  return {
    definitions,
    async call(name, input, signal): Promise<ToolAnswer> {
      const { output, is_error, world: after } = await call({ tool: name, args: input, world }, signal);
      world = after;
      const text = typeof output === 'string' ? output : JSON.stringify(output);
      return { content: clipText(neutraliseText(text), MOST_CHARS), is_error };
    },
  };
}

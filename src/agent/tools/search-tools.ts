/** Puts many tools behind two: an agent searches for a tool and calls it by name, so that no request carries hundreds of schemas. */
import { z } from 'zod';
import { formatInputFaults } from '../../ports/tools/input-faults.ts';
import type { ToolAnswer, ToolHost } from '../../ports/tools/tool-host.ts';
import type { ToolDefinition } from '../../transcript/message.ts';

/** Above this number of server tools, an agent gets the two tools of this file instead. */
export const MOST_OFFERED = 40;
const MOST_FOUND = 8;

const FIND_TOOLS = 'find_tools';
const CALL_TOOL = 'call_tool';

const FindInput = z.strictObject({ words: z.string().min(1) });
const CallInput = z.strictObject({ name: z.string().min(1), input: z.record(z.string(), z.unknown()).default({}) });

/** `descriptions` come from prompts/control_tools.yaml. */
function defineSearchTools(descriptions: Readonly<Record<string, string>>): ToolDefinition[] {
  const find = { words: { type: 'string', description: 'what the tool should do' } };
  const call = { name: { type: 'string' }, input: { type: 'object', description: 'as the schema of the tool says' } };
  const schemaOf = (properties: Record<string, unknown>) => ({
    type: 'object' as const,
    ...{ properties, required: Object.keys(properties), additionalProperties: false },
  });
  return [
    { name: FIND_TOOLS, description: descriptions[FIND_TOOLS] ?? '', input_schema: schemaOf(find) },
    { name: CALL_TOOL, description: descriptions[CALL_TOOL] ?? '', input_schema: schemaOf(call) },
  ];
}

/** `all` is the host of every tool. */
export function createSearchHost(all: ToolHost, descriptions: Readonly<Record<string, string>>): ToolHost {
  return {
    definitions: defineSearchTools(descriptions),
    async call(name, input, signal) {
      if (name === FIND_TOOLS) return findTools(input, all.definitions);
      const parsed = CallInput.safeParse(input);
      if (!parsed.success) return { content: `${CALL_TOOL}: ${formatInputFaults(parsed.error)}`, is_error: true };
      if (!all.definitions.some((tool) => tool.name === parsed.data.name))
        return {
          content: `${CALL_TOOL}: no tool is named ${parsed.data.name}; ${FIND_TOOLS} searches them.`,
          is_error: true,
        };
      return all.call(parsed.data.name, parsed.data.input, signal);
    },
  };
}

function findTools(input: unknown, tools: readonly ToolDefinition[]): ToolAnswer {
  const parsed = FindInput.safeParse(input);
  if (!parsed.success) return { content: `${FIND_TOOLS}: ${formatInputFaults(parsed.error)}`, is_error: true };
  const words = splitWords(parsed.data.words);
  const found = tools
    .map((tool) => ({ tool, score: scoreTool(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST_FOUND)
    .map(({ tool }) => JSON.stringify(tool));
  if (found.length > 0) return { content: found.join('\n'), is_error: false };
  return { content: `None of ${tools.length} tools has these words. Names: ${formatNames(tools)}`, is_error: false };
}

/** A match in the name counts more than one in the description. */
function scoreTool({ name, description }: ToolDefinition, words: readonly string[]): number {
  const [inName, inText] = [splitWords(name), splitWords(description)];
  return words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0), 0);
}

function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const LONGEST_LIST = 4000;

function formatNames(tools: readonly ToolDefinition[]): string {
  return tools
    .map(({ name }) => name)
    .join(', ')
    .slice(0, LONGEST_LIST);
}

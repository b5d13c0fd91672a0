/** Converts a server's tools for an agent: names that the Messages API accepts, and schemas that are not too large. */
import { sha256 } from '../../disk/sha256.ts';
import { neutraliseText } from '../../report/text/sanitise.ts';
import type { OfferedTools } from '../../ports/tools/tool-servers.ts';
import type { ToolDefinition } from '../../transcript/message.ts';

/** A tool as its server describes it; none of it is trusted. */
export type ServerTool = { name: string; description?: string | undefined; inputSchema: unknown };

/** The longest name of a tool (docs/internals/api-rules.md). */
const NAME_CHARS = 64;
const DESCRIPTION_CHARS = 2000;
/** A schema is sent with every request: larger ones cost more than the tool is worth. */
const SCHEMA_CHARS = 20_000;
const SCHEMA_DEPTH = 20;
const MOST_TOOLS = 500;

export type ServerOffer = OfferedTools & {
  /** Maps the name that a model calls to the name that the server knows. */
  owners: ReadonlyMap<string, string>;
};

/** `allowed`: the permitted tools, by the server's own names; undefined for all. */
export function offerTools(server: string, tools: readonly ServerTool[], allowed?: readonly string[]): ServerOffer {
  const problems: string[] = [];
  const definitions: ToolDefinition[] = [];
  const owners = new Map<string, string>();
  const absent = (allowed ?? []).filter((name) => !tools.some((tool) => tool.name === name));
  if (absent.length > 0) problems.push(`${server} has no tool named ${absent.map(quoteName).join(', ')}`);
  for (const tool of tools.filter(({ name }) => allowed?.includes(name) ?? true)) {
    const name = offeredName(server, tool.name);
    const fault = owners.has(name) ? 'it is offered twice' : schemaFault(tool.inputSchema);
    if (owners.size === MOST_TOOLS) {
      problems.push(`${server} offers more than ${MOST_TOOLS} tools: name those that are needed under tools:`);
      break;
    }
    if (fault !== undefined) problems.push(`${server}: ${quoteName(tool.name)} is left out: ${fault}`);
    else {
      owners.set(name, tool.name);
      definitions.push({
        name,
        description: describeTool(server, tool),
        input_schema: sendableSchema(tool.inputSchema),
      });
    }
  }
  return { server, definitions, problems, owners };
}

/** Offers tools to a subject under the server's own names; `left`: the reason for each tool that is not offered. */
export function servedTools(
  tools: readonly ServerTool[],
  reserved: readonly string[],
): { tools: ToolDefinition[]; left: Map<string, string> } {
  const left = new Map<string, string>();
  const offered: ToolDefinition[] = [];
  for (const { name, description = '', inputSchema } of tools.slice(0, MOST_TOOLS)) {
    const fault = reserved.includes(name) ? 'it sets or reads the state' : schemaFault(inputSchema);
    if (fault === undefined) {
      const text = neutraliseText(description).slice(0, DESCRIPTION_CHARS).toWellFormed().trim();
      offered.push({ name, description: text === '' ? name : text, input_schema: sendableSchema(inputSchema) });
    } else left.set(name, fault);
  }
  return { tools: offered, left };
}

/** `mcp__<server>__<tool>`, as in Claude Code; characters that the API refuses are replaced, and names stay distinct. */
function offeredName(server: string, tool: string): string {
  const plain = tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const whole = `mcp__${server}__${plain}`;
  if (plain === tool && whole.length <= NAME_CHARS) return whole;
  const mark = `_${sha256(tool).slice(0, 8)}`;
  return whole.slice(0, NAME_CHARS - mark.length) + mark;
}

/** The description is marked as the server's own text, so that it is not read as an instruction. */
function describeTool(server: string, { name, description = '' }: ServerTool): string {
  const text = neutraliseText(description).slice(0, DESCRIPTION_CHARS).toWellFormed().trim();
  return `Tool ${quoteName(name)} of the server "${server}", which describes it so: ${text === '' ? '(nothing)' : text}`;
}

function schemaFault(schema: unknown): string | undefined {
  if (!isObject(schema) || (schema['type'] !== undefined && schema['type'] !== 'object'))
    return 'its input schema is not of an object';
  if (deeperThan(schema, SCHEMA_DEPTH)) return `its input schema is nested deeper than ${SCHEMA_DEPTH}`;
  const { length } = JSON.stringify(schema);
  return length > SCHEMA_CHARS
    ? `its input schema has ${length} characters, at most ${SCHEMA_CHARS} are sent`
    : undefined;
}

/** The API accepts no alternatives at the top of a schema; the server checks them itself when it is called. */
function sendableSchema(schema: unknown): ToolDefinition['input_schema'] {
  const { oneOf: _one, anyOf: _any, allOf: _all, $schema: _dialect, ...rest } = isObject(schema) ? schema : {};
  return { ...rest, type: 'object' };
}

function deeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => deeperThan(member, depth - 1));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const quoteName = (name: string): string => JSON.stringify(neutraliseText(name).slice(0, 80));

/** Converts a server's tools for an agent: names that the Messages API accepts, and schemas that are not too large. */
import type { OfferedTools } from '../../ports/tools/tool-servers.ts';
import { toSendableSchema, type SendableSchema } from './sendable-schema.ts';
import { sha256 } from '../../disk/sha256.ts';
import { neutraliseText } from '../../report/text/sanitise.ts';
import type { ToolDefinition } from '../../transcript/message.ts';

/** A tool as its server describes it; none of it is trusted. */
export type ServerTool = { name: string; description?: string | undefined; inputSchema?: unknown };

/** The longest name of a tool (docs/internals/api-rules.md). */
const NAME_CHARS = 64;
const DESCRIPTION_CHARS = 2000;
/** A schema is sent with every request: larger ones cost more than the tool is worth. */
const SCHEMA_CHARS = 20_000;
const SCHEMA_DEPTH = 20;
const MOST_TOOLS = 500;

export type ServerOffer = OfferedTools & {
  /** Maps the name that a model calls to the tool as the server knows it. */
  owners: ReadonlyMap<string, OwnedTool>;
};
/** `names`: properties that the model knows by another name. */
export type OwnedTool = Pick<SendableSchema, 'names'> & { tool: string };

/** `allowed`: the permitted tools, by the server's own names; undefined for all. */
export function offerTools(server: string, tools: readonly ServerTool[], allowed?: readonly string[]): ServerOffer {
  const problems: string[] = [];
  const definitions: ToolDefinition[] = [];
  const owners = new Map<string, OwnedTool>();
  const absent = (allowed ?? []).filter((name) => !tools.some((tool) => tool.name === name));
  if (absent.length > 0) problems.push(`${server} has no tool named ${absent.map(quoteName).join(', ')}`);
  for (const tool of tools.filter(({ name }) => allowed?.includes(name) ?? true)) {
    const name = offeredName(server, tool.name);
    const read = owners.has(name) ? { fault: 'it is offered twice' } : readSchema(tool.inputSchema);
    if (owners.size === MOST_TOOLS) {
      problems.push(`${server} offers more than ${MOST_TOOLS} tools: name those that are needed under tools:`);
      break;
    }
    if ('fault' in read) problems.push(`${server}: ${quoteName(tool.name)} is left out: ${read.fault}`);
    else {
      owners.set(name, { tool: tool.name, names: read.names });
      const description = `${describeTool(server, tool)} ${read.forms}`.trim();
      definitions.push({ name, description, input_schema: read.schema });
    }
  }
  return { server, definitions, problems, owners };
}

/** Offers tools to a subject under the server's own names; `left`: the reason for each tool that is not offered. */
export function servedTools(
  tools: readonly ServerTool[],
  reserved: readonly string[],
): { tools: ToolDefinition[]; left: Map<string, string>; names: Map<string, OwnedTool['names']> } {
  const left = new Map<string, string>();
  const names = new Map<string, OwnedTool['names']>();
  const offered: ToolDefinition[] = [];
  for (const { name, description = '', inputSchema } of tools.slice(0, MOST_TOOLS)) {
    const read = reserved.includes(name) ? { fault: 'it sets or reads the state' } : readSchema(inputSchema);
    if ('fault' in read) left.set(name, read.fault);
    else {
      const text = neutraliseText(description).slice(0, DESCRIPTION_CHARS).toWellFormed().trim();
      const said = `${text === '' ? name : text} ${read.forms}`.trim();
      offered.push({ name, description: said, input_schema: read.schema });
      names.set(name, read.names);
    }
  }
  return { tools: offered, left, names };
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

function readSchema(schema: unknown): SendableSchema | { fault: string } {
  if (deeperThan(schema, SCHEMA_DEPTH)) return { fault: `its input schema is nested deeper than ${SCHEMA_DEPTH}` };
  const { length } = JSON.stringify(schema ?? {});
  if (length <= SCHEMA_CHARS) return toSendableSchema(schema);
  return { fault: `its input schema has ${length} characters, at most ${SCHEMA_CHARS} are sent` };
}

function deeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => deeperThan(member, depth - 1));
}

const quoteName = (name: string): string => JSON.stringify(neutraliseText(name).slice(0, 80));

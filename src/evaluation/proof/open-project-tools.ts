/** Tools of a project for its own agents: files as an evaluation has them, loaded and proven on their examples before any is offered. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { ToolSpec } from '../../scenario/component.ts';
import { schemaFaults } from '../../scenario/json/json-schema.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import { callTool, type Stage, type ToolCall, type ToolRequest } from '../components/call-tool.ts';
import type { ComponentFile } from '../components/component-files.ts';
import { describeTools } from '../components/load-components.ts';
import { verifyTool } from './verify-tool.ts';

export type ProjectTools = {
  /** Tools that passed their proof. */
  tools: readonly ToolSpec[];
  /** Lines such as `tools/x.mjs:3: what`; a tool with a problem is not in `tools`. */
  problems: readonly string[];
  call: (request: ToolRequest & { world: JsonObject }, signal: AbortSignal) => Promise<ToolCall>;
  close: () => Promise<void>;
};

/** `dir`: absolute and without links; `files` are paths in it. */
export type ProjectToolFiles = { dir: string; files: readonly ComponentFile[] };

/** Contract: never throws for the fault of a file; the caller closes the result. */
export async function openProjectTools(
  { dir, files }: ProjectToolFiles,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<ProjectTools> {
  const session = await sandbox.open(dir);
  try {
    const { loaded, problems } = await describeTools(session, files, signal);
    const faults = problems.map(({ message }) => message);
    const stage: Stage = {
      tools: new Map(loaded.map((tool) => [tool.name, tool])),
      session,
      paths: new Map(files.map(({ path, name }) => [`tools/${name}`, path])),
      worldSchema: undefined,
    };
    const tools: ToolSpec[] = [];
    for (const tool of loaded) {
      const found = await findToolFaults(tool, stage, signal);
      if (found.length === 0) tools.push(tool);
      else faults.push(...found);
    }
    const placed = await Promise.all(faults.map((fault) => withLine(dir, fault)));
    return {
      tools,
      problems: placed,
      call: (request, within) => callTool(stage, request, within),
      close: () => session.close(),
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** An empty design: project tools have no world beyond their own examples. */
const EMPTY_DESIGN = { format: { world: { type: 'object' as const }, tools: [] } };

async function findToolFaults(tool: ToolSpec, stage: Stage, signal: AbortSignal): Promise<string[]> {
  const at = stage.paths?.get(`tools/${tool.name}`) ?? tool.name;
  const named = tool.examples.findIndex(({ world }) => typeof world === 'string');
  if (named >= 0) return [`${at}: /examples/${named}/world: agents have no worlds to name; write it out, {} for none`];
  const unclear = schemaFaults(tool.input_schema);
  if (unclear.length > 0) return unclear.map((fault) => `${at}: /input_schema: ${fault}`);
  const proving = { components: { worlds: new Map<string, JsonObject>() }, design: EMPTY_DESIGN, stage };
  return (await verifyTool(tool, proving, signal)).problems.map(({ message }) => message);
}

/** Patterns that find, in a complaint about an export, the key it is about. */
const KEYS = [/Unrecognized keys?: "([^"]+)"/, /^its (\w+) is "/, /\/([a-z_]+)(?:\/\d+\/\w+)?:? /];

/** `tools/x.mjs:3: …`: the line that the sandbox named, else that of the key that the complaint is about. */
async function withLine(dir: string, fault: string): Promise<string> {
  const [, path = '', what = fault] = /^([^:\s]+): ([^]*)$/.exec(fault) ?? [];
  const thrown = / \((\S+):(\d+)\)$/.exec(what);
  if (thrown?.[1] === path) return `${path}:${thrown[2]}: ${what.slice(0, thrown.index)}`;
  const key = KEYS.map((pattern) => pattern.exec(what)?.[1]).find((found) => found !== undefined) ?? 'tool';
  const lines = (await readFile(join(dir, path), 'utf8').catch(() => '')).split('\n');
  const line = lines.findIndex((text) => new RegExp(String.raw`\b${key}\b["']?\s*[:=]`).test(text)) + 1;
  return line === 0 ? fault : `${path}:${line}: ${what}`;
}

/** One call of a scenario's tool: input checked first, then run in the sandbox, then its answer and the world checked. */
import type { ToolSpec } from '../../scenario/component.ts';
import { isJsonObject, jsonFault, type JsonObject } from '../../scenario/json/json-value.ts';
import { validateJson } from '../../scenario/json/json-schema.ts';
import { diffJson } from '../../scenario/json/patch.ts';
import type { PatchOperation } from '../../scenario/sample.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import type { SandboxOutcome, SandboxSession } from '../../ports/sandbox.ts';
import { CALL_TIMEOUT_MS, pathOf, type ComponentPaths } from './components.ts';

type CallError = NonNullable<Extract<TraceLine, { type: 'call' }>['error']>;

/** A failed call answers with text and leaves the world as it was. */
export type ToolCall = {
  output: unknown;
  is_error: boolean;
  change: PatchOperation[];
  error?: CallError;
  world: JsonObject;
};

/** What a run plays in: the tools, where they run, and what their worlds must look like. */
export type Stage = {
  tools: ReadonlyMap<string, ToolSpec>;
  session: SandboxSession;
  paths?: ComponentPaths;
  /** Names of the tools that belong to the user and not to the subject. */
  userTools?: ReadonlySet<string>;
  /** JSON Schema of every world; undefined when none is asked for. */
  worldSchema: JsonObject | undefined;
  /** What its worlds are made of, when that is large. */
  base?: JsonObject | undefined;
  /** No tool is blamed for a world that does not fit when this one, which it began with, does not either. */
  startWorld?: JsonObject;
};

/** The same with the tools of one side only: what is in the other's hands is unknown to it. */
export function stageOf(stage: Stage, by: 'subject' | 'user'): Stage {
  const { userTools } = stage;
  if (userTools === undefined) return by === 'subject' ? stage : { ...stage, tools: new Map() };
  const own = [...stage.tools].filter(([name]) => userTools.has(name) === (by === 'user'));
  return { ...stage, tools: new Map(own) };
}

/** True when the subject could not have caused the failure: its input was valid. */
export function isToolFault(error: CallError | undefined): boolean {
  return error !== undefined && error !== 'bad_input' && error !== 'unknown_tool';
}

export async function callTool(
  stage: Stage,
  name: string,
  input: JsonObject,
  world: JsonObject,
  signal: AbortSignal,
): Promise<ToolCall> {
  const refuse = (error: CallError, output: string): ToolCall => ({ output, is_error: true, change: [], error, world });
  const tool = stage.tools.get(name);
  if (tool === undefined) {
    const known = [...stage.tools.keys()].join(', ') || 'none';
    return refuse('unknown_tool', `There is no tool "${name}". There are: ${known}.`);
  }
  const faults = [jsonFault(input), ...validateJson(tool.input_schema, input)].filter((fault) => fault !== undefined);
  if (faults.length > 0) return refuse('bad_input', `The input does not fit the tool: ${faults.join('; ')}.`);

  const module = pathOf(stage.paths, 'tools', name);
  const args = [input, world];
  const given = stage.base === undefined ? args : { args, shared: [{ at: ['1'], base: stage.base }] };
  const outcome = await stage.session.call(module, 'run', given, CALL_TIMEOUT_MS, signal);
  if (!outcome.ok) return refuse(errorOf(outcome.kind), `The tool failed: ${outcome.message}`);
  const after = outcome.args[1];
  const change = isJsonObject(after) ? diffJson(world, after) : [];
  // A world that was not changed is as right as it was.
  const fault = answerFault(outcome.value, after, change, change.length === 0 ? {} : stage);
  if (fault !== undefined) return refuse('bad_output', `The tool failed: ${fault}`);
  const next = change.length === 0 ? world : (after as JsonObject);
  return { output: outcome.value, is_error: false, change, world: next };
}

function errorOf(kind: Extract<SandboxOutcome, { ok: false }>['kind']): CallError {
  if (kind === 'too_large') return 'bad_output';
  return kind === 'bad_module' ? 'crashed' : kind;
}

function answerFault(
  value: unknown,
  world: unknown,
  change: readonly PatchOperation[],
  { worldSchema: schema, startWorld, base }: Partial<Pick<Stage, 'worldSchema' | 'startWorld' | 'base'>>,
): string | undefined {
  if (value === undefined) return 'it answered nothing';
  if (!isJsonObject(world)) return 'it left no world behind';
  // What a tool left as it was is as sound as before; of a large world only the rest is looked at.
  const fault = jsonFault([value, change.length > 0 && base === undefined ? world : change]);
  if (fault !== undefined) return fault;
  const faults = schema === undefined ? [] : validateJson(schema, world);
  if (faults.length === 0 || (startWorld !== undefined && validateJson(schema, startWorld).length > 0))
    return undefined;
  return `it left a world that does not fit format_spec.yaml: ${faults.join('; ')}`;
}

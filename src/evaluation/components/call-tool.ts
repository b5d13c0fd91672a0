/** One call of a scenario's tool: checks the input, runs the tool in the sandbox, then checks its answer and the world. */
import { SERVED_ENDING, type ToolSpec } from '../../scenario/component.ts';
import { createOracle, type JudgedWorlds, type TableVerdict } from '../../scenario/cases/judge-by-table.ts';
import { listUserTools, type BusinessRules, type FormatSpec } from '../../scenario/design.ts';
import { isJsonObject, jsonFault, type JsonObject } from '../../scenario/json/json-value.ts';
import { validateJson } from '../../scenario/json/json-schema.ts';
import { diffJson } from '../../scenario/json/patch.ts';
import type { SampleCall, PatchOperation } from '../../scenario/sample.ts';
import type { TraceLineOf } from '../../scenario/trace.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SandboxOutcome, OpenSandbox } from '../../ports/sandbox.ts';
import {
  CALL_TIMEOUT_MS,
  getComponentPath,
  type ComponentPaths,
  type Components,
  type LoadedSample,
} from './components.ts';

type CallError = NonNullable<TraceLineOf<'call'>['error']>;

export type ToolRequest = SampleCall;

/** A failed call answers with text and leaves the world unchanged. */
export type ToolCall = {
  output: unknown;
  is_error: boolean;
  change: PatchOperation[];
  error?: CallError;
  world: JsonObject;
};

/** Runs the work with a lane of its own: a tool server keeps state for this conversation until the work ends. */
export async function withOwnLane<T>(stage: Stage, work: (stage: Stage) => Promise<T>): Promise<T> {
  const lane = new AbortController();
  try {
    return await work({ ...stage, lane: lane.signal });
  } finally {
    // A reason of its own: otherwise each end would make an error with its stack.
    lane.abort('over');
  }
}

/** Where tools are called: the tools, their sandbox session, and the schema of their worlds. */
export type Stage = {
  tools: ReadonlyMap<string, ToolSpec>;
  session: OpenSandbox;
  /** The conversation that its calls belong to; absent: each call is one of its own. */
  lane?: AbortSignal;
  paths?: ComponentPaths | undefined;
  /** Names of the tools that belong to the user and not to the subject. */
  userTools?: ReadonlySet<string>;
  /** JSON Schema of every world; undefined means that any world fits. */
  worldSchema: JsonObject | undefined;
  /** The large world that all worlds of the sample are made from. */
  base?: JsonObject | undefined;
  /** Checkers whose rule demands an exact notation. */
  exactWords?: ReadonlySet<string>;
  /** What the approved table says of a trial of this sample; absent where the design reads no outcome. */
  readTable?: ((trial: JudgedWorlds) => TableVerdict[]) | undefined;
  /** The rules of each checker. */
  checkerRules?: ReadonlyMap<string, readonly string[]>;
  /** When the start world does not fit the schema either, no tool is blamed for it. */
  startWorld?: JsonObject;
};

/** The stage of one sample with the tools of both sides. */
export function stageFor(
  { sample, world, base }: LoadedSample,
  { tools, checkers, paths }: Components,
  on: StageSettings,
): Stage {
  const oracle = on.rules === undefined ? undefined : createOracle(on.format.cases, on.rules.rules);
  return {
    checkerRules: new Map(checkers.map(({ id, rules }) => [id, rules])),
    exactWords: new Set(checkers.flatMap(({ id, exact_words }) => (exact_words === true ? [id] : []))),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    session: on.session,
    paths,
    userTools: listUserTools(on.format),
    worldSchema: on.format.world,
    startWorld: world,
    base: base?.world,
    ...omitUndefined({ readTable: oracle && ((trial: JudgedWorlds) => oracle(sample, trial)) }),
  };
}

/** With `rules` the approved table judges beside the checkers. */
type StageSettings = { format: FormatSpec; session: OpenSandbox; rules?: BusinessRules };

/** Returns the stage with the tools of one side only. */
export function narrowStage(stage: Stage, by: 'subject' | 'user'): Stage {
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
  { tool: name, args, world }: ToolRequest & { world: JsonObject },
  signal: AbortSignal,
): Promise<ToolCall> {
  const refuse = (error: CallError, output: string): ToolCall => ({ output, is_error: true, change: [], error, world });
  const tool = stage.tools.get(name);
  if (tool === undefined) {
    const known = [...stage.tools.keys()].join(', ') || 'none';
    return refuse('unknown_tool', `There is no tool "${name}". There are: ${known}.`);
  }
  const module = getComponentPath(stage.paths, 'tools', name);
  // A server checks what it is given itself, and writes schemas of any kind.
  const unfit = module.endsWith(SERVED_ENDING) ? [] : validateJson(tool.input_schema, args);
  const faults = [jsonFault(args), ...unfit].filter((fault) => fault !== undefined);
  if (faults.length > 0) return refuse('bad_input', `The input does not fit the tool: ${faults.join('; ')}.`);

  const given = [args, world];
  const call = {
    module,
    name: 'run',
    args: stage.base === undefined ? given : { args: given, shared: [{ at: ['1'], base: stage.base }] },
    timeoutMs: CALL_TIMEOUT_MS,
    ...omitUndefined({ lane: stage.lane }),
  };
  const outcome = await stage.session.call(call, signal);
  if (!outcome.ok) return refuse(toCallError(outcome.kind), `The tool failed: ${outcome.message}`);
  const after = outcome.args[1];
  const change = isJsonObject(after) ? diffJson(world, after) : [];
  const fault = outputFault(stage, change, { value: outcome.value, after });
  if (fault !== undefined) return refuse('bad_output', `The tool failed: ${fault}`);
  const next = change.length === 0 ? world : (after as JsonObject);
  return { output: outcome.value, is_error: outcome.is_error === true, change, world: next };
}

function toCallError(kind: Extract<SandboxOutcome, { ok: false }>['kind']): CallError {
  if (kind === 'too_large' || kind === 'over_limit') return 'bad_output';
  return kind === 'bad_module' ? 'crashed' : kind;
}

function outputFault(
  { worldSchema: schema, startWorld, base }: Stage,
  change: readonly PatchOperation[],
  { value, after }: { value: unknown; after: unknown },
): string | undefined {
  if (value === undefined) return 'it answered nothing';
  if (!isJsonObject(after)) return 'it left no world behind';
  const isChanged = change.length > 0;
  // An unchanged world is not checked again; in a large one only the changes are checked.
  const fault = jsonFault([value, isChanged && base === undefined ? after : change]);
  if (fault !== undefined || !isChanged || schema === undefined) return fault;
  const faults = worldFaults(schema, after);
  if (faults.length === 0 || (startWorld !== undefined && worldFaults(schema, startWorld).length > 0)) return undefined;
  return `it left a world that does not fit format_spec.yaml: ${faults.join('; ')}`;
}

const MOST_WORLDS = 1000;
/** Characters of a world that is remembered as valid; keeping a larger text costs more than checking it again. */
const MAX_KEPT_CHARS = 20_000;

const fitting = new WeakMap<JsonObject, Set<string>>();

/** Validates like `validateJson`, with a cache. Contract: `world` is a JSON value, else two could share a text. */
export function worldFaults(schema: JsonObject, world: JsonObject): string[] {
  const text = JSON.stringify(world);
  const known = fitting.get(schema) ?? new Set();
  if (known.has(text)) return [];
  const faults = validateJson(schema, world);
  if (faults.length > 0 || text.length > MAX_KEPT_CHARS) return faults;
  if (known.size >= MOST_WORLDS) known.clear();
  fitting.set(schema, known.add(text));
  return faults;
}

/** Plays a task of a tau2-bench domain on its copied toolkit: its start, its gold path, and a path that fails. */
import type { OpenSandbox } from '../../../ports/sandbox.ts';
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import { diffJson } from '../../../scenario/json/patch.ts';
import type { Stage } from '../../../evaluation/components/call-tool.ts';
import { playPath, type TrialRecord } from '../../../evaluation/components/trial-record.ts';
import type { Call } from '../../../scenario/sample.ts';
import type { PlayedTask, Tau2Task } from './task.ts';
import { askToolkit, withWorld } from './toolkit.ts';
import type { ToolShim } from './shims.ts';

export type PlayContext = {
  base: JsonObject;
  shims: readonly ToolShim[];
  stage: Stage;
  session: OpenSandbox;
};

export function stageOfShims(shims: readonly ToolShim[], session: OpenSandbox, base: JsonObject): Stage {
  const specs = shims.map(({ name, method: { description, input_schema } }) => ({
    ...{ name, description, input_schema },
    examples: [{ input: {}, world: 'db' }],
  }));
  return {
    tools: new Map(specs.map((spec) => [spec.name, spec])),
    session,
    paths: new Map(shims.map(({ name }) => [`tools/${name}`, `tools/${name}.py`])),
    userTools: new Set(shims.filter(({ side }) => side === 'user').map(({ name }) => name)),
    worldSchema: undefined,
    base,
  };
}

export async function playTask(task: Tau2Task, playing: PlayContext, signal: AbortSignal): Promise<PlayedTask> {
  const { start, gaps } = await computeStart(task, playing, signal);
  const gold = toGoldCalls(task, playing.shims, gaps);
  const played = await playPath(playing.stage, { steps: gold, first: '', says: '', world: start }, signal);
  gaps.push(...describeRaised(played));
  return {
    start,
    startPatch: diffJson(playing.base, start),
    gold,
    endPatch: diffJson(start, played.after),
    gaps,
  };
}

/** Merges the task's data into the domain's, then runs its initial actions, as the benchmark does it. */
async function computeStart(
  { initial_state: initial }: Tau2Task,
  { base, session }: PlayContext,
  signal: AbortSignal,
): Promise<{ start: JsonObject; gaps: string[] }> {
  const { agent_data: agent, user_data: user } = initial?.initialization_data ?? {};
  const actions = [...(initial?.initialization_actions ?? []), ...listEarlierCalls(initial?.message_history ?? [])];
  if (!agent && !user && actions.length === 0) return { start: base, gaps: [] };
  const merged = mergeJson(base, { ...(agent ? { agent } : {}), ...(user ? { user } : {}) }) as JsonObject;
  const call = { file: 'tau2_runner' as const, name: 'begin', args: withWorld([merged, actions], base) };
  const { value, args } = await askToolkit(session, call, signal);
  const faults: unknown[] = Array.isArray(value) ? value : [];
  const gaps = faults.map((fault) => `an initialization action raises: ${String(fault)}`);
  return { start: args[0] as JsonObject, gaps };
}

/** Lists the calls of an earlier conversation. */
function listEarlierCalls(history: readonly unknown[]): JsonObject[] {
  const calls = history.flatMap((message) => (isJsonObject(message) ? message['tool_calls'] : undefined) ?? []);
  return calls.filter(isJsonObject).map(({ name, requestor, arguments: args }) => ({
    env_type: requestor === 'user' ? 'user' : 'assistant',
    func_name: name,
    arguments: args,
  }));
}

function mergeJson(base: unknown, changes: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(changes)) return changes;
  const merged = Object.entries(changes).map(([key, value]) => [key, mergeJson(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

function toGoldCalls({ evaluation_criteria: criteria }: Tau2Task, shims: readonly ToolShim[], gaps: string[]): Call[] {
  return (criteria?.actions ?? []).flatMap(({ name, requestor, arguments: args }) => {
    const side = requestor === 'user' ? 'user' : 'assistant';
    const shim = shims.find((one) => one.side === side && one.method.name === name);
    if (shim !== undefined) return [{ tool: shim.name, args }];
    gaps.push(`its gold path calls ${name} of the ${side}, which is no tool of the toolkit; the call was left out`);
    return [];
  });
}

/** The benchmark ignores gold calls that raise; a sample built on them may not be what its author meant. */
function describeRaised({ calls }: TrialRecord): string[] {
  return calls.flatMap(({ step, tool, output, is_error: isError }) => {
    const error = isError ? String(output) : isJsonObject(output) ? output['error'] : undefined;
    return typeof error === 'string' ? [`its gold call ${step} (${tool}) raises: ${error}`] : [];
  });
}

type EndsWrong = (start: JsonObject, after: JsonObject) => Promise<boolean>;

export const changesSomething: EndsWrong = (start, after) => Promise.resolve(diffJson(start, after).length > 0);

/** True for an end state that violates a predicate of the task. */
export function violatesAssertion(
  assertions: readonly object[],
  { base, session }: PlayContext,
  signal: AbortSignal,
): EndsWrong {
  return async (_start, after) => {
    for (const assertion of assertions) {
      const args = withWorld([after, assertion], base);
      const { value } = await askToolkit(session, { file: 'tau2_runner', name: 'holds', args }, signal);
      if (value !== null) return true;
    }
    return false;
  };
}

/** Finds a call of another task that ends wrong here: a plausible mistake for a sample whose start is right already. */
export async function wrongPath(
  stage: Stage,
  { start, candidates, isWrong }: { start: JsonObject; candidates: readonly Call[]; isWrong: EndsWrong },
  signal: AbortSignal,
): Promise<Call[]> {
  for (const call of candidates) {
    const { after } = await playPath(stage, { steps: [call], first: '', says: '', world: start }, signal);
    if (await isWrong(start, after)) return [call];
  }
  return [];
}

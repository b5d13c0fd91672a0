/** Calls of gold paths with the worlds in which they were made: what the relations of tools begin with. */
import { SERVED_ENDING } from '../../../scenario/component.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch } from '../../../scenario/json/patch.ts';
import { callTool, type Stage, type ToolCall } from '../../components/call-tool.ts';
import { getComponentPath } from '../../components/components.ts';
import { worldsBefore, type TrialCall, type TrialRecord } from '../../components/trial-record.ts';
import { isRefused } from '../gold-runs.ts';

/** `among`: the tools that change something in its gold path; another request is another set of them. */
export type ObservedCall = { sample: string; call: TrialCall; world: JsonObject; stage: Stage; among?: string[] };

/** The most calls of one tool, each from another kind of sample where there are as many. */
const MOST_CALLS = 3;
/** Larger worlds would make a proof slow, and are left out. */
const MAX_WORLD_CHARS = 100_000;

export type PlayedGold = { sample: string; gold: TrialRecord; stage: Stage };

export function observeCalls(golds: readonly PlayedGold[]): Map<string, ObservedCall[]> {
  const all = golds.flatMap(({ sample, gold, stage }) => {
    if (JSON.stringify(gold.before).length > MAX_WORLD_CHARS) return [];
    const worlds = worldsBefore(gold);
    const changing = gold.calls.filter(({ change }) => change.length > 0);
    const among = [...new Set(changing.map(({ tool }) => tool))].toSorted();
    return gold.calls.flatMap((call, index): ObservedCall[] => {
      const isServed = getComponentPath(stage.paths, 'tools', call.tool).endsWith(SERVED_ENDING);
      if (call.error !== undefined || isServed || isRefused(call)) return [];
      return [{ sample, call, world: worlds[index] ?? gold.before, stage, among }];
    });
  });
  const byTool = Map.groupBy(all, ({ call }) => call.tool);
  return new Map([...byTool].map(([tool, calls]) => [tool, chooseDistinct(calls).slice(0, MOST_CALLS)]));
}

/** Calls of other requests come first, those that do most before all, because each shows another side of the tool. */
function chooseDistinct(calls: readonly ObservedCall[]): ObservedCall[] {
  const pickFirsts = (toKind: (one: ObservedCall) => string): ObservedCall[] =>
    [...Map.groupBy(calls, toKind).values()].flatMap((same) => same.slice(0, 1));
  const requests = pickFirsts(({ call, among = [] }) => `${call.change.length} ${among.join(' ')}`);
  const byLength = requests.toSorted((one, other) => (other.among?.length ?? 0) - (one.among?.length ?? 0));
  return [...new Set([...byLength, ...pickFirsts(({ sample }) => sample), ...calls])];
}

/** What differs from the call as it was made: its arguments, its world, or single values of the world. */
export type CallVariant = { args?: JsonObject; world?: JsonObject; put?: readonly { path: string; value: unknown }[] };

/** Makes the call again in another way; undefined where it could not be made. */
export async function tryCall(
  { call, world: seen, stage }: ObservedCall,
  { args = call.input, world = seen, put = [] }: CallVariant,
  signal: AbortSignal,
): Promise<ToolCall | undefined> {
  const patch = put.map(({ path, value }) => ({ op: 'replace' as const, path, value }));
  const varied = applyPatch(world, patch);
  if (!varied.ok) return undefined;
  const answer = await callTool(stage, { tool: call.tool, args, world: varied.world }, signal);
  return answer.error === undefined ? answer : undefined;
}

/** The rest of a sentence about a tool; undefined where the relation holds, or says nothing of this call. */
export type Relation = (observed: ObservedCall, signal: AbortSignal) => Promise<string | undefined>;

/** Tries a relation on each call of a tool, until one shows that it does not hold. */
export async function findFirst(
  relation: Relation,
  calls: readonly ObservedCall[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const call of calls) {
    const text = await relation(call, signal);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A success, by the answer's own words. */
export function isSuccess(answer: ToolCall, call: TrialCall): boolean {
  return !isRefused({ ...call, output: answer.output, is_error: answer.is_error });
}

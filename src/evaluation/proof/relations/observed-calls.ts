/** Calls of gold paths with the worlds in which they were made: what the relations of tools begin with. */
import { SERVED_ENDING } from '../../../scenario/component.ts';
import type { JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch } from '../../../scenario/json/patch.ts';
import { callTool, type Stage, type ToolCall } from '../../components/call-tool.ts';
import { getComponentPath } from '../../components/components.ts';
import type { TrialCall, TrialRecord } from '../../components/trial-record.ts';
import { isRefused } from '../decisive-call.ts';

export type ObservedCall = { sample: string; call: TrialCall; world: JsonObject; stage: Stage };

/** The most calls of one tool, each from another sample where there are as many. */
const MOST_CALLS = 3;
/** Larger worlds would make a proof slow, and are left out. */
const MAX_WORLD_CHARS = 100_000;

export type PlayedGold = { sample: string; gold: TrialRecord; stage: Stage };

export function observeCalls(golds: readonly PlayedGold[]): Map<string, ObservedCall[]> {
  const all = golds.flatMap(({ sample, gold, stage }) => {
    if (JSON.stringify(gold.before).length > MAX_WORLD_CHARS) return [];
    let world = gold.before;
    return gold.calls.flatMap((call): ObservedCall[] => {
      const seen = { sample, call, world, stage };
      const next = applyPatch(world, call.change);
      if (next.ok) ({ world } = next);
      const isServed = getComponentPath(stage.paths, 'tools', call.tool).endsWith(SERVED_ENDING);
      return call.error !== undefined || isServed || isRefused(call) ? [] : [seen];
    });
  });
  const byTool = Map.groupBy(all, ({ call }) => call.tool);
  return new Map([...byTool].map(([tool, calls]) => [tool, chooseDistinct(calls)]));
}

/** Calls that differ in what they change come first, because each shows another side of the tool. */
function chooseDistinct(calls: readonly ObservedCall[]): ObservedCall[] {
  const kinds = Map.groupBy(calls, ({ call, sample }) => `${call.change.length} ${sample}`);
  const firsts = [...kinds.values()].flatMap((same) => same.slice(0, 1));
  return [...firsts, ...calls.filter((one) => !firsts.includes(one))].slice(0, MOST_CALLS);
}

/** Makes the call again with other arguments or in another world; undefined where it could not be made. */
export async function tryCall(
  { call, world, stage }: ObservedCall,
  varied: { args?: JsonObject; world?: JsonObject },
  signal: AbortSignal,
): Promise<ToolCall | undefined> {
  const answer = await callTool(stage, { tool: call.tool, args: call.input, world, ...varied }, signal);
  return answer.error === undefined ? answer : undefined;
}

/** A success, by the answer's own words. */
export function isSuccess(answer: ToolCall, call: TrialCall): boolean {
  return !isRefused({ ...call, output: answer.output, is_error: answer.is_error });
}

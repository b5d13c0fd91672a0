/** A play of one sample, by a subject or by a listed path: the input of all judging. */
import type { TracedCall } from '../../scenario/component.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { StopCause, TraceLineOf } from '../../scenario/trace.ts';
import { callTool, stageOf, type Stage, type ToolCall } from './call-tool.ts';

export type TrialCall = TracedCall & Pick<ToolCall, 'change' | 'error'>;

export type TrialRecord = {
  before: JsonObject;
  after: JsonObject;
  calls: TrialCall[];
  says: string[];
  /** All of it in the order in which it happened; missing for a listed path. */
  events?: TrialEvent[];
  stop: StopCause;
};

export type TrialEvent = TraceLineOf<'user'> | TraceLineOf<'says'> | ({ type: 'call' } & TrialCall);

/** A listed path (`gold`, `wrong`) and the words at its end. */
export type ListedPath = { calls: Sample['gold']; says: string; world: JsonObject };

/** Plays one call a step. */
export async function playPath(stage: Stage, path: ListedPath, signal: AbortSignal): Promise<TrialRecord> {
  let { world } = path;
  const calls: TrialCall[] = [];
  for (const [index, { tool, args }] of path.calls.entries()) {
    const { world: next, ...call } = await callTool(stage, { tool, args, world }, signal);
    const by = stage.userTools?.has(tool) === true ? { by: 'user' as const } : {};
    calls.push({ step: index + 1, tool, input: args, ...call, ...by });
    world = next;
  }
  return { before: path.world, after: world, calls, says: path.says === '' ? [] : [path.says], stop: 'done' };
}

/** The first call that answers differently when all are played again. */
export async function firstTrialDifference(
  stage: Stage,
  played: TrialRecord,
  signal: AbortSignal,
): Promise<TrialCall | undefined> {
  let world = played.before;
  for (const call of played.calls) {
    const { tool, input: args, by = 'subject' } = call;
    const again = await callTool(stageOf(stage, by), { tool, args, world }, signal);
    if (!sameJson(again.output, call.output) || !sameJson(again.change, call.change)) return call;
    world = again.world;
  }
  return undefined;
}

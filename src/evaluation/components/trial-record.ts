/** What was played on one sample, by a subject or by a listed path: the one thing that all judging looks at. */
import type { TracedCall } from '../../scenario/component.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { callTool, stageOf, type Stage, type ToolCall } from './call-tool.ts';

export type StopCause = Extract<TraceLine, { type: 'end' }>['stop'];

export type TrialCall = TracedCall & Pick<ToolCall, 'change' | 'error'>;

export type TrialRecord = {
  before: JsonObject;
  after: JsonObject;
  calls: TrialCall[];
  says: string[];
  /** All of it in the order in which it happened; a path that was only listed has none. */
  events?: TrialEvent[];
  stop: StopCause;
};

type Spoken = Extract<TraceLine, { type: 'user' | 'says' }>;
export type TrialEvent = Spoken | ({ type: 'call' } & TrialCall);

/** Plays a listed path (`gold`, `wrong`), one call a step, and says `says` at its end. */
export async function playPath(
  stage: Stage,
  path: Sample['gold'],
  says: string,
  before: JsonObject,
  signal: AbortSignal,
): Promise<TrialRecord> {
  let world = before;
  const calls: TrialCall[] = [];
  for (const [index, { tool, args }] of path.entries()) {
    const { world: next, ...call } = await callTool(stage, tool, args, world, signal);
    const by = stage.userTools?.has(tool) === true ? { by: 'user' as const } : {};
    calls.push({ step: index + 1, tool, input: args, ...call, ...by });
    world = next;
  }
  return { before, after: world, calls, says: says === '' ? [] : [says], stop: 'done' };
}

/** The first call that does not answer the same when all are played again, or undefined. */
export async function firstTrialDifference(
  stage: Stage,
  played: TrialRecord,
  signal: AbortSignal,
): Promise<TrialCall | undefined> {
  let world = played.before;
  for (const call of played.calls) {
    const again = await callTool(stageOf(stage, call.by ?? 'subject'), call.tool, call.input, world, signal);
    if (!sameJson(again.output, call.output) || !sameJson(again.change, call.change)) return call;
    world = again.world;
  }
  return undefined;
}

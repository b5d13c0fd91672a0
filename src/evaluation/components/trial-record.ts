/** A play of one sample, by a subject or by a listed path: the input of all judging. */
import type { TracedCall } from '../../scenario/component.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch } from '../../scenario/json/patch.ts';
import type { PathStep, Sample } from '../../scenario/sample.ts';
import type { StopCause, TraceLineOf } from '../../scenario/trace.ts';
import { callTool, withOwnLane, narrowStage, type Stage, type ToolCall } from './call-tool.ts';

export type TrialCall = TracedCall & Pick<ToolCall, 'change' | 'error'>;

export type TrialRecord = {
  before: JsonObject;
  after: JsonObject;
  calls: TrialCall[];
  says: string[];
  /** All of it in the order in which it happened; where they are missing, the user spoke first and the subject last. */
  events?: TrialEvent[];
  stop: StopCause;
};

export type TrialEvent = TraceLineOf<'user'> | TraceLineOf<'says'> | ({ type: 'call' } & TrialCall);

/** A listed path (`gold`, `wrong`) between the user's first words and the words at its end. */
export type ListedPath = { steps: readonly PathStep[]; first: string; says: string; world: JsonObject };

/** `gold` or `wrong` of a sample, on its start world. */
export function listedPath({ user, ...sample }: Sample, path: 'gold' | 'wrong', world: JsonObject): ListedPath {
  return { steps: sample[path], first: user.says_first, says: sample[`${path}_says`], world };
}

/** Plays one call or one text of the subject a step; what the user says or does belongs to the step that it answers. */
export async function playPath(stage: Stage, path: ListedPath, signal: AbortSignal): Promise<TrialRecord> {
  return withOwnLane(stage, (own) => playSteps(own, path, signal));
}

async function playSteps(stage: Stage, path: ListedPath, signal: AbortSignal): Promise<TrialRecord> {
  let { world } = path;
  const events: TrialEvent[] = [{ type: 'user', step: 0, text: path.first }];
  let step = 0;
  const says = (text: string): void => void events.push({ type: 'says', step: (step += 1), text });
  for (const one of path.steps) {
    if ('says' in one) says(one.says);
    else if ('user' in one) events.push({ type: 'user', step, text: one.user });
    else {
      const { world: next, ...call } = await callTool(stage, { ...one, world }, signal);
      const by = stage.userTools?.has(one.tool) === true ? { by: 'user' as const } : {};
      events.push({ type: 'call', step: (step += 1), tool: one.tool, input: one.args, ...call, ...by });
      world = next;
    }
  }
  if (path.says !== '') says(path.says);
  return withEvents({ before: path.world, after: world, stop: 'done' }, events);
}

/** The record with these events: its calls and the subject's words are taken from them. */
export function withEvents(
  { before, after, stop }: Pick<TrialRecord, 'before' | 'after' | 'stop'>,
  events: TrialEvent[],
): TrialRecord {
  const calls = events.filter((event) => event.type === 'call');
  const says = events.filter((event) => event.type === 'says').map(({ text }) => text);
  return { before, after, calls, says, events, stop };
}

/** Returns the record with other last words. */
export function withLastWords(gold: TrialRecord, text: string): TrialRecord {
  const { events = [] } = gold;
  const last = events.findLastIndex(({ type }) => type === 'says');
  const damaged = events.map((event, index) => (index === last && event.type === 'says' ? { ...event, text } : event));
  return withEvents(gold, damaged);
}

/** The same events, one of them at another place. */
export function moveEvent(played: TrialRecord, from: number, to: number): TrialRecord {
  const { events = [] } = played;
  const moved = events.toSpliced(from, 1).toSpliced(to, 0, ...events.slice(from, from + 1));
  return withEvents(
    played,
    moved.map((event, step) => ({ ...event, step })),
  );
}

/** Computes the world before each call. */
export function worldsBefore({ before, calls }: Pick<TrialRecord, 'before' | 'calls'>): JsonObject[] {
  let world = before;
  return calls.map(({ change }) => {
    const start = world;
    const after = applyPatch(world, change);
    if (after.ok) world = after.world;
    return start;
  });
}

/** The first call that answers differently when all are played again. */
export async function firstTrialDifference(
  stage: Stage,
  played: TrialRecord,
  signal: AbortSignal,
): Promise<TrialCall | undefined> {
  return withOwnLane(stage, async (own) => {
    let world = played.before;
    for (const call of played.calls) {
      const { tool, input: args, by = 'subject' } = call;
      const again = await callTool(narrowStage(own, by), { tool, args, world }, signal);
      if (!sameJson(again.output, call.output) || !sameJson(again.change, call.change)) return call;
      world = again.world;
    }
    return undefined;
  });
}

/** True when the subject has called a tool since its user last spoke. */
export function hasActedSinceUser(events: readonly TrialEvent[]): boolean {
  const from = events.findLastIndex(({ type }) => type === 'user');
  return events.slice(from + 1).some((event) => event.type === 'call' && event.by !== 'user');
}

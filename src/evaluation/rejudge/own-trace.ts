/** Reads our own trace back as a trial record, so that it can be judged without calling a tool. */
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch } from '../../scenario/json/patch.ts';
import type { TraceLine, TraceLineOf } from '../../scenario/trace.ts';
import { withEvents, type TrialRecord, type TrialEvent } from '../components/trial-record.ts';
import { parseTrace } from '../trial/read-trace.ts';
import { readTraceWorlds, type KnownWorlds } from '../trial/trace-worlds.ts';

export type OwnTrace = {
  /** Path or name, for messages. */
  at: string;
  sample: string;
  trial: number;
  firstWords: string;
  lines: readonly TraceLine[];
  played: TrialRecord;
};

/** True for text that begins like our traces. */
export function isOwnTrace(text: string): boolean {
  return /^\s*\{[^\n]*"type":\s*"start"/.test(text);
}

/**
 * Contract: `data_corrupt`, with the line, for text that is no trace, has no end or contradicts itself. `known` are the
 * worlds that it may name.
 */
export function readOwnTrace(text: string, at: string, known?: KnownWorlds): OwnTrace {
  const lines = parseTrace(text, at);
  const [start] = lines;
  if (start?.type !== 'start') throw new HarnessError('data_corrupt', `${at}:1: a trace begins with a line "start"`);
  const end = lines.at(-1);
  if (end?.type !== 'end')
    throw new HarnessError('data_corrupt', `${at}: has no end: the trial was cut off, and nothing can be judged`);
  const calls = lines.filter((line): line is TraceLineOf<'call'> => line.type === 'call');
  const { before, after } = readTraceWorlds({ start, end, at }, known);
  const fault = findTraceFault({ before, after }, calls, end);
  if (fault !== undefined) throw new HarnessError('data_corrupt', `${at}: ${fault}`);
  const first = lines.find((line): line is TraceLineOf<'user'> => line.type === 'user');
  return {
    at,
    sample: start.sample,
    trial: start.trial,
    firstWords: first?.text ?? '',
    lines,
    played: withEvents({ before, after, stop: end.stop }, lines.flatMap(toEvents)),
  };
}

function toEvents(line: TraceLine): TrialEvent[] {
  if (line.type !== 'call') return line.type === 'user' || line.type === 'says' ? [line] : [];
  const { by, error, ...call } = line;
  return [{ ...call, ...omitUndefined({ by, error }) }];
}

/** Finds a contradiction: in an unedited file the changes of the calls lead from the first world to the last. */
function findTraceFault(
  { before, after }: { before: JsonObject; after: JsonObject },
  calls: readonly TraceLineOf<'call'>[],
  end: TraceLineOf<'end'>,
): string | undefined {
  if (end.calls !== calls.length) return `it holds ${calls.length} calls, and its end speaks of ${end.calls}`;
  let world = before;
  for (const { change, step, tool } of calls) {
    const next = applyPatch(world, change);
    if (!next.ok) return `the change of step ${step} (${tool}) does not apply: ${next.fault}`;
    world = next.world;
  }
  return sameJson(world, after) ? undefined : 'the changes of its calls do not lead to the world at its end';
}

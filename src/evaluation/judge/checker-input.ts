/** What a checker is shown of a run: the worlds, and everything that was said and called, in the order in which it happened. */
import type { CheckerInput, TraceEvent, TracedCall } from '../../scenario/component.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TrialRecord, TrialCall } from '../components/trial-record.ts';

export function checkerInput(sample: Sample, played: TrialRecord): CheckerInput {
  const { before, after, calls, says } = played;
  const trace = { calls: calls.map(shownCall), says, events: eventsOf(sample, played) };
  return { sample, before, after, trace, final: says.at(-1) ?? '' };
}

/** A path that was only listed has no order of its own: the user speaks, the calls follow, and the words come at the end. */
function eventsOf({ user }: Sample, { calls, says, events }: TrialRecord): TraceEvent[] {
  if (events !== undefined) return events.map((event) => (event.type === 'call' ? shownEvent(event) : event));
  const last = (calls.at(-1)?.step ?? 0) + 1;
  return [
    { type: 'user', step: 0, text: user.says_first },
    ...calls.map((call) => shownEvent({ type: 'call', ...call })),
    ...says.map((text, index): TraceEvent => ({ type: 'says', step: last + index, text })),
  ];
}

function shownEvent(call: TrialCall & { type: 'call' }): TraceEvent {
  return { type: 'call', ...shownCall(call) };
}

/** Neither the effect on the world nor the kind of a failure: a checker judges what could be seen. */
function shownCall({ step, tool, input, output, is_error, by }: TrialCall): TracedCall {
  return { step, tool, input, output, is_error, ...(by === undefined ? {} : { by }) };
}

/** Finds how far a turn has come, from what its calls have left in the request. */
import type { ScriptCall, ScriptStep } from './script.ts';
import {
  isInFacts,
  type DecisionLine,
  type LedgerLine,
  type ParsedCall,
  type ParsedAssistantMessage,
} from './parse-request.ts';

export type Traces = {
  /** Assistant messages after the marker, in order. */
  spoken: readonly ParsedAssistantMessage[];
  /** Lines of the carried facts that are not older than the marker. */
  ledger: LedgerLine[];
  decisions: DecisionLine[];
  /** Returns the input of a script's call as it was issued, with its content file read. */
  inputOf: (call: ScriptCall) => Record<string, unknown>;
};

/**
 * Returns the index of the last step that is done, -1 for none. Compaction hides the oldest messages first, so the
 * newest visible ones are matched backwards against the steps, and the longest match wins.
 */
export function findLastDone(steps: readonly ScriptStep[], traces: Traces): number {
  const visible = traces.spoken.filter((spoken) => steps.some((step) => isStep(step, spoken, traces)));
  const booked = steps.findLastIndex(
    ({ calls }) =>
      calls.length > 0 && calls.every((call) => isInFacts(traces, { tool: call.tool, input: traces.inputOf(call) })),
  );
  const runs = steps.map((_, end) => runLength(steps.slice(0, end + 1), visible, traces));
  const longest = Math.max(...runs);
  if (longest === 0) return booked;
  // For equal matches the ledger decides: it lists hidden steps, which come before the visible ones.
  const later = runs.findIndex((run, end) => run === longest && end >= booked);
  return later === -1 ? runs.indexOf(longest) : later;
}

/** Counts how many of the newest visible messages match the last of `steps`, in order. */
function runLength(steps: readonly ScriptStep[], visible: readonly ParsedAssistantMessage[], traces: Traces): number {
  let length = 0;
  for (;;) {
    const step = steps[steps.length - 1 - length];
    const spoken = visible[visible.length - 1 - length];
    if (step === undefined || spoken === undefined || !isStep(step, spoken, traces)) return length;
    length += 1;
  }
}

/** A step without calls is recognised by its text, any other by its calls; one visible call proves one scripted call. */
function isStep({ say, calls }: ScriptStep, spoken: ParsedAssistantMessage, { inputOf }: Traces): boolean {
  if (calls.length === 0) return spoken.calls.length === 0 && spoken.text.includes(say ?? '');
  const left = [...spoken.calls];
  return calls.every((call) => {
    const found = left.findIndex((seen) => isCall(call, seen, inputOf));
    if (found !== -1) left.splice(found, 1);
    return found !== -1;
  });
}

/** Reads the content file last, because most calls differ before it. */
function isCall(call: ScriptCall, seen: ParsedCall, inputOf: Traces['inputOf']): boolean {
  return seen.name === call.tool && containsValues(seen.input, call.input) && containsValues(seen.input, inputOf(call));
}

/** True when every value that `wanted` names is in `value`; keys that it does not name are ignored. */
function containsValues(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((item, i) => containsValues(value[i], item))
    );
  }
  if (typeof wanted !== 'object' || wanted === null) return Object.is(value, wanted);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(wanted).every(
    ([key, item]) => Object.hasOwn(value, key) && containsValues(Reflect.get(value, key), item),
  );
}

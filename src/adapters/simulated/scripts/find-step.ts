/** How far a turn has come: read off what its calls left behind in the request. */
import type { ScriptCall, ScriptStep } from './script.ts';
import {
  isInFacts,
  type DecisionLine,
  type LedgerLine,
  type ParsedCall,
  type AssistantMessage,
} from './parse-request.ts';

export type Traces = {
  /** Assistant messages after the marker, in order. */
  spoken: readonly AssistantMessage[];
  /** Lines of the carried facts that are not older than the marker. */
  ledger: LedgerLine[];
  decisions: DecisionLine[];
  /** A script's call as it was issued: with its content file read. */
  inputOf: (call: ScriptCall) => Record<string, unknown>;
};

/**
 * Index of the last step that is done, -1 for none. Compaction hides the oldest messages first, so the newest visible
 * ones are laid against the steps backwards; where the longest run fits, there we are.
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
  // Alike runs: the ledger knows of steps that are hidden, and so before the visible ones.
  const later = runs.findIndex((run, end) => run === longest && end >= booked);
  return later === -1 ? runs.indexOf(longest) : later;
}

/** How many of the newest visible messages are the last of `steps`, in their order. */
function runLength(steps: readonly ScriptStep[], visible: readonly AssistantMessage[], traces: Traces): number {
  let length = 0;
  for (;;) {
    const step = steps[steps.length - 1 - length];
    const spoken = visible[visible.length - 1 - length];
    if (step === undefined || spoken === undefined || !isStep(step, spoken, traces)) return length;
    length += 1;
  }
}

/** A step without calls is known by its words, any other by its calls; one visible call proves one call of the script. */
function isStep({ say, calls }: ScriptStep, spoken: AssistantMessage, { inputOf }: Traces): boolean {
  if (calls.length === 0) return spoken.calls.length === 0 && spoken.text.includes(say ?? '');
  const left = [...spoken.calls];
  return calls.every((call) => {
    const found = left.findIndex((seen) => isCall(call, seen, inputOf));
    if (found !== -1) left.splice(found, 1);
    return found !== -1;
  });
}

/** The content file is read last: most calls differ before it. */
function isCall(call: ScriptCall, seen: ParsedCall, inputOf: Traces['inputOf']): boolean {
  return seen.name === call.tool && holds(seen.input, call.input) && holds(seen.input, inputOf(call));
}

/** Every value that `wanted` names is in `value`; keys that it does not name are ignored. */
function holds(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && value.length === wanted.length && wanted.every((item, i) => holds(value[i], item));
  }
  if (typeof wanted !== 'object' || wanted === null) return Object.is(value, wanted);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(wanted).every(
    ([key, item]) => Object.hasOwn(value, key) && holds(Reflect.get(value, key), item),
  );
}

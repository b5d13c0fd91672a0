/** A gold path in which something is looked up once more: nothing changes by it, so no checker may mind. */
import type { TrialRecord } from '../components/trial-record.ts';

export type Repeat = { played: TrialRecord; tool: string; step: number };

/** Undefined when the path looks nothing up: `readOnly` are the tools that change nothing by the design. */
export function harmlessRepeat(gold: TrialRecord, readOnly: ReadonlySet<string>): Repeat | undefined {
  const index = gold.calls.findIndex(
    ({ tool, change, is_error, by }) => readOnly.has(tool) && change.length === 0 && !is_error && by === undefined,
  );
  const call = gold.calls[index];
  if (call === undefined) return undefined;
  const later = gold.calls.slice(index).map((one) => ({ ...one, step: one.step + 1 }));
  const calls = [...gold.calls.slice(0, index), call, ...later];
  return { played: { ...gold, calls }, tool: call.tool, step: call.step };
}

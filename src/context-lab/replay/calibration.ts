/** Learns from a recording's bills how large its unrecorded part was, and the factor of our estimate. */
import { inputTokens } from '../../transcript/message.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { MessageEntry } from '../../transcript/entry.ts';

/** `fixed` in real tokens: system prompt and tools; `samples`: the number of billed calls. */
export type CalibrationFit = { fixed: number; ratio: number; samples: number };

const LEAST_SAMPLES = 5;
/** Outside of these bounds the bills do not belong to the recorded messages. */
const BOUNDS = { min: 0.3, max: 2.5 };

/**
 * The straight line through (estimate of all messages before the call, input tokens billed for it), over the calls before
 * the recorder's first own compaction. Undefined when too few calls were billed.
 */
export function fitRecorded(recorded: readonly MessageEntry[]): CalibrationFit | undefined {
  const points: { estimated: number; measured: number }[] = [];
  let estimated = 0;
  for (const { message, response } of recorded) {
    if (response?.view === 'e0') points.push({ estimated, measured: inputTokens(response.usage) });
    estimated += estimateMessages([message]);
  }
  const known = points.filter(({ measured }) => measured > 0);
  if (known.length < LEAST_SAMPLES) return undefined;
  const mean = (pick: (point: (typeof known)[number]) => number) =>
    known.reduce((sum, point) => sum + pick(point), 0) / known.length;
  const [meanEstimated, meanMeasured] = [mean((point) => point.estimated), mean((point) => point.measured)];
  const spread = mean((point) => (point.estimated - meanEstimated) ** 2);
  const slope = mean((point) => (point.estimated - meanEstimated) * (point.measured - meanMeasured)) / spread;
  if (!Number.isFinite(slope) || slope < BOUNDS.min || slope > BOUNDS.max) return undefined;
  return { ratio: slope, fixed: Math.max(0, Math.round(meanMeasured - slope * meanEstimated)), samples: known.length };
}

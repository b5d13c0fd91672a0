/** How full the context is, and whether it must be compacted before the next model call (S0.6). */
import { calibrate, estimateMessages } from '../transcript/tokens.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Core } from './core.ts';
import { limitsOf } from './limits.ts';
import type { Limits } from './limits.ts';
import { inputTokens } from './receipt.ts';
import { epochOf, view } from './view.ts';

export type Pressure = Limits & {
  /** The view is over the trigger: compact before the next model call. */
  due: boolean;
  /** The next call might not fit: it must not be made before the view is smaller. */
  urgent: boolean;
  /** Tokens that the next request is expected to have. */
  total: number;
  /** `usage` when the last answer in this epoch was measured on this very projection, else `estimate`. */
  source: 'usage' | 'estimate';
  /** Real tokens per estimated token, learned from the latest calls. */
  ratio: number;
};

/** Checked before every model call, inside a turn too (T33). */
export function shouldCompact(entries: readonly Entry[], core: Core): Pressure {
  const limits = limitsOf(core.policy, core.budget);
  const ratio = learnRatio(entries, core);
  const measured = measuredTotal(entries, ratio);
  const total = measured ?? Math.ceil((core.budget.floor + estimateMessages(view(entries).messages)) * ratio);
  return {
    ...limits,
    due: total > limits.trigger,
    urgent: total > limits.hard,
    total,
    source: measured === undefined ? 'estimate' : 'usage',
    ratio,
  };
}

/** Usage of another epoch says nothing about this view: it was measured on messages that are gone (T3). */
function measuredTotal(entries: readonly Entry[], ratio: number): number | undefined {
  const epoch = epochOf(entries);
  const last = entries.findLastIndex((entry) => entry.type === 'message' && entry.response?.view === epoch);
  const answer = entries[last];
  if (answer?.type !== 'message' || answer.response === undefined) return undefined;
  const since = entries.slice(last + 1).flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  const { usage } = answer.response;
  return inputTokens(usage) + usage.output_tokens + Math.ceil(estimateMessages(since) * ratio);
}

/** What was sent for an answer can be computed again, so the estimate is checked against what was billed for it. */
function learnRatio(entries: readonly Entry[], { policy, budget }: Core): number {
  const samples: { estimated: number; measured: number }[] = [];
  for (let place = entries.length - 1; place >= 0 && samples.length < policy.calibration.samples; place -= 1) {
    const entry = entries[place];
    if (entry?.type !== 'message' || entry.response === undefined) continue;
    const before = entries.slice(0, place);
    if (epochOf(before) !== entry.response.view) continue;
    samples.push({
      estimated: budget.floor + estimateMessages(view(before).messages),
      measured: inputTokens(entry.response.usage),
    });
  }
  return calibrate(samples, policy.calibration);
}

/** How full the context is, by every limit that a request has, and whether it must be compacted now (S0.6, docs/internals/compaction-cases.md T24). */
import { omitUndefined } from '../../omit-undefined.ts';
import { computeCalibration } from '../../transcript/tokens.ts';
import { toSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import type { Core } from '../core.ts';
import { limitsAt, limitsOf, type Limits } from '../limits.ts';
import { autoTrigger, type AutoTrigger } from './auto-trigger.ts';
import type { ContextMeasurement } from '../view/usage-tracker.ts';
import type { Load } from './request-load.ts';

/** Known only to the caller: the prompt cache has expired, so a rewrite loses no cached prefix. */
export type Moment = { cacheCold?: boolean };

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
  /** Which limit made it due. */
  because?: 'tokens' | 'messages' | 'bytes' | 'images' | 'cold';
  /** Messages, bytes and images of the view; tokens as estimated. */
  load: Load;
  /** System prompt, its layers and tools, which compaction cannot change. */
  floor: number;
  cold: boolean;
  /** How the trigger was put where it is, with `trigger: auto`. */
  auto?: AutoTrigger;
};

/** Checked before every model call, inside a turn too. */
export function shouldCompact(transcript: EntriesOrSnapshot, core: Core, moment: Moment = {}): Pressure {
  return computePressure(toSnapshot(transcript).measure(), core, moment);
}

export function computePressure(
  { load, layers, samples, sinceUsage, pace }: ContextMeasurement,
  { policy, budget }: Core,
  { cacheCold = false }: Moment,
): Pressure {
  const most = limitsOf(policy, budget);
  const floor = budget.floor + layers;
  const latest = samples.slice(-policy.calibration.samples);
  const ratio = computeCalibration(
    latest.map(({ estimated, measured }) => ({ estimated: floor + estimated, measured })),
    policy.calibration,
  );
  const auto =
    policy.trigger.auto === true ? autoTrigger({ pace, policy, floor, ratio, ceiling: most.trigger }) : undefined;
  const limits = auto === undefined ? most : limitsAt(auto.trigger, most.hard, policy);
  const total =
    sinceUsage === undefined
      ? Math.ceil((floor + load.tokens) * ratio)
      : sinceUsage.billed + Math.ceil(sinceUsage.appended * ratio);
  const because = limitReached({ ...load, tokens: total }, limits.trigger, {
    ...policy.trigger,
    cold: cacheCold ? policy.trigger.cold : undefined,
  });
  return {
    ...limits,
    due: because !== undefined,
    urgent: total > limits.hard,
    total,
    source: sinceUsage === undefined ? 'estimate' : 'usage',
    ratio,
    ...omitUndefined({ because, auto }),
    load,
    floor,
    cold: cacheCold,
  };
}

type TriggerLimits = Pick<Core['policy']['trigger'], 'messages' | 'minMessages' | 'bytes' | 'images'> & {
  cold: number | undefined;
};

/** `cold` is the share of the trigger above which an expired cache is a good moment; undefined when it has not expired. */
function limitReached(real: Load, trigger: number, limits: TriggerLimits): Pressure['because'] {
  const { messages, minMessages, bytes, images, cold } = limits;
  if (real.messages < minMessages) return undefined;
  if (real.tokens > trigger) return 'tokens';
  if (messages !== undefined && real.messages > messages) return 'messages';
  if (real.bytes > bytes) return 'bytes';
  if (real.images > images) return 'images';
  return cold !== undefined && real.tokens > trigger * cold ? 'cold' : undefined;
}

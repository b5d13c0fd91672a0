/**
 * How full the context is, by every limit that a request has, and whether that is too full (S0.6,
 * docs/compaction-cases.md T24).
 */
import { calibrate } from '../../transcript/tokens.ts';
import type { Core } from '../core.ts';
import { limitsOf } from '../limits.ts';
import type { Limits } from '../limits.ts';
import type { Load } from './request-load.ts';

/** What was billed for a call, against what its messages were estimated at. */
export type TokenSample = { estimated: number; measured: number };

export type ContextMeasurement = {
  /** Of what would be sent now. */
  load: Load;
  /** Of the layers of the system prompt. */
  layers: number;
  /** The latest calls whose real input is known, the newest last. */
  samples: readonly TokenSample[];
  /** Set when the newest answer was measured on this projection: its tokens, and the estimate of what came since. */
  sinceUsage?: { billed: number; appended: number };
};

/** What only the caller knows of the moment: the prompt cache has expired, so that a rewrite gives nothing up. */
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
  /** System prompt, its layers and tools: what compaction cannot touch. */
  floor: number;
  cold: boolean;
};

/** From what was measured on the view. */
export function pressureOf(
  measured: ContextMeasurement,
  { policy, budget }: Core,
  { cacheCold = false }: Moment,
): Pressure {
  const limits = limitsOf(policy, budget);
  const floor = budget.floor + measured.layers;
  const samples = measured.samples.map(({ estimated, measured: billed }) => ({
    estimated: floor + estimated,
    measured: billed,
  }));
  const ratio = calibrate(samples, policy.calibration);
  const { load, sinceUsage } = measured;
  const total =
    sinceUsage === undefined
      ? Math.ceil((floor + load.tokens) * ratio)
      : sinceUsage.billed + Math.ceil(sinceUsage.appended * ratio);
  const because = reasonFor(total, load, limits, cacheCold, { policy });
  return {
    ...limits,
    due: because !== undefined,
    urgent: total > limits.hard,
    total,
    source: sinceUsage === undefined ? 'estimate' : 'usage',
    ratio,
    ...(because === undefined ? {} : { because }),
    load,
    floor,
    cold: cacheCold,
  };
}

function reasonFor(
  total: number,
  load: Load,
  { trigger }: Limits,
  cacheCold: boolean,
  { policy }: Pick<Core, 'policy'>,
): Pressure['because'] {
  const { messages, minMessages, bytes, images, cold } = policy.trigger;
  if (load.messages < minMessages) return undefined;
  if (total > trigger) return 'tokens';
  if (messages !== undefined && load.messages > messages) return 'messages';
  if (load.bytes > bytes) return 'bytes';
  if (load.images > images) return 'images';
  return cacheCold && cold !== undefined && total > trigger * cold ? 'cold' : undefined;
}

/** Whether the context must be compacted before the next model call (S0.6). */
import type { Entry } from '../../transcript/entry.ts';
import type { Core } from '../core.ts';
import { createFollower } from '../view/incremental-view.ts';
import type { Moment, Pressure } from './pressure.ts';

export type { Moment, Pressure } from './pressure.ts';

/** Checked before every model call, inside a turn too (docs/compaction-cases.md T33). */
export function shouldCompact(entries: readonly Entry[], core: Core, moment: Moment = {}): Pressure {
  return createFollower(core).pressure(entries, moment);
}

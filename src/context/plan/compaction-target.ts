/** How fast the context grows, and how low a compaction should aim for it (S0.22, docs/compaction-cases.md T28). */
import type { Unit } from '../../transcript/step.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { Policy } from '../policy.ts';
import type { Pressure } from './trigger.ts';

/** Steps that are looked at: enough for a median, few enough to follow a change of work. */
const LATEST = 20;

/** Real tokens that a step has added lately: the median, for one huge result is no trend. */
export function stepGrowth(units: readonly Unit[], ratio: number): number {
  const sizes = units
    .filter(({ kind }) => kind === 'step')
    .slice(-LATEST)
    .map(({ entries }) => estimateMessages(entries.map(({ message }) => message)))
    .toSorted((one, other) => one - other);
  return Math.ceil((sizes[Math.floor(sizes.length / 2)] ?? 0) * ratio);
}

/** What is aimed at first; where it cannot be had, `target` itself still counts as enough. */
export function compactionTarget({ target: wanted }: Policy, { trigger, target }: Pressure, growth: number): number {
  if (wanted.steps === undefined) return target;
  const room = trigger - wanted.steps * growth;
  return Math.floor(Math.min(target, Math.max(trigger * wanted.least, room)));
}

/**
 * The latest steps stay from an answer of the model on that follows a user message: then the kept thinking is still bound
 * to what stood before it, and the API takes its own summary in the place of that (docs/api-rules.md §5.4).
 */
import type { Unit } from '../../transcript/step.ts';
import type { Pass } from './cut-draft.ts';

export const cutBeforeAnswer: Pass<'cut-before-answer'> = function* (draft, { units, policy }) {
  let steps = 0;
  let first: number | undefined;
  for (let place = units.length - 1; place >= 1 && place > draft.keepFrom; place -= 1) {
    if (units[place]?.kind !== 'step') continue;
    steps += 1;
    if (steps > policy.keep.steps) break;
    if (followsUser(units, place)) first = place;
  }
  for (let place = first; place !== undefined && place < units.length; place += 1) {
    if (units[place]?.kind !== 'step' || !followsUser(units, place)) continue;
    const kept = units.slice(place).filter(({ kind }) => kind === 'step').length;
    const detail = `the latest ${kept} steps stay with their thinking`;
    yield { draft: { ...draft, keepFrom: place, summarise: true }, detail };
  }
};

function followsUser(units: readonly Unit[], place: number): boolean {
  return (
    units[place]?.entries[0]?.message.role === 'assistant' && units[place - 1]?.entries.at(-1)?.message.role === 'user'
  );
}

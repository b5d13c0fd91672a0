/** Fewer units stay, down to none; what a person said last goes only at the very end, and is carried by the facts (S0.16). */
import type { Pass } from './draft.ts';

export const keepFewerSteps: Pass = function* (draft, { units }) {
  for (let keepFrom = draft.keepFrom + 1; keepFrom <= units.length; keepFrom += 1) {
    const steps = units.slice(keepFrom).filter(({ kind }) => kind === 'step').length;
    yield { draft: { ...draft, keepFrom }, detail: `only the latest ${steps} steps stay` };
  }
};

/** Fewer units stay, down to none; what a person said last goes only at the very end, and is carried by the facts (S0.16). */
import type { Pass } from './cut-draft.ts';

export const keepFewerSteps: Pass<'keep-fewer-steps'> = function* (draft, { units, spec }) {
  // From the end, so that each try costs no more than the one before.
  const steps = units.map(({ kind }) => (kind === 'step' ? 1 : 0));
  let left = steps.slice(draft.keepFrom).reduce<number>((sum, one) => sum + one, 0);
  for (let keepFrom = draft.keepFrom + 1; keepFrom <= units.length; keepFrom += 1) {
    left -= steps[keepFrom - 1] ?? 0;
    if (left < spec.least) return;
    yield { draft: { ...draft, keepFrom, summarise: true }, detail: `only the latest ${left} steps stay` };
  }
};

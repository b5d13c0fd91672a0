/** The latest N steps stay word for word, with all that was said since, and the user message that set them going (S0.5). */
import type { Pass } from './cut-draft.ts';

export const keepLatestSteps: Pass<'keep-latest-steps'> = function* (draft, { units, policy }) {
  let keepFrom = units.length;
  let steps = 0;
  for (let place = units.length - 1; place >= 1 && steps < policy.keep.steps; place -= 1) {
    keepFrom = place;
    if (units[place]?.kind === 'step') steps += 1;
  }
  if (keepFrom > 1 && units[keepFrom]?.kind === 'step' && units[keepFrom - 1]?.kind === 'prompt') keepFrom -= 1;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: `the latest ${steps} steps stay word for word` };
};

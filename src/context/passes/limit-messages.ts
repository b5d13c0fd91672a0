/** At most so many messages stay, in whole units, so that no call is parted from its result (S3.2, S3.4). */
import type { Pass } from './cut-draft.ts';

export const limitMessages: Pass<'limit-messages'> = function* (draft, { units, messages, spec }) {
  const most = spec.messages ?? messages;
  let keepFrom = units.length;
  let count = 0;
  while (keepFrom > draft.keepFrom) {
    const more = (units[keepFrom - 1]?.entries ?? []).filter(({ id }) => !draft.left.has(id)).length;
    // The newest unit stays, however many messages it has.
    if (count > 0 && count + more > most) break;
    count += more;
    keepFrom -= 1;
  }
  if (keepFrom === draft.keepFrom) return;
  yield { draft: { ...draft, keepFrom, summarise: true }, detail: `the latest ${count} messages stay` };
};

/** A transcript beyond the policy's limits is refused before anything walks it (S4.10). */
import { HarnessError } from '../../errors.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Policy } from '../policy.ts';

/** Contract: throws `safety_limit_exceeded`, with the numbers; nothing is changed. */
export function checkSafety(entries: readonly Entry[], { safety, name }: Policy): void {
  let edges = 0;
  for (const { parents } of entries) edges += parents.length;
  if (entries.length <= safety.entries && edges <= safety.edges) return;
  throw new HarnessError(
    'safety_limit_exceeded',
    `The transcript has ${entries.length} entries with ${edges} links to parents; policy "${name}" allows ` +
      `${safety.entries} and ${safety.edges}. Begin a new session, or raise safety in the policy.`,
    { details: { entries: entries.length, edges, limits: safety } },
  );
}

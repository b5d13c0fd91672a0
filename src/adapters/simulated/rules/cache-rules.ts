/** Rules for the places of cache marks (docs/internals/api-rules.md §2.6). */
import type { Part, Ttl } from '../request/parts.ts';
import type { Submission } from '../request/submission.ts';
import type { Rules } from '../request/refusal.ts';

const MAX_MARKS = 4;

export const CACHE_RULES: Rules<Submission> = {
  cache_automatic_ttl: (submission) => {
    const automatic = automaticMark(submission);
    const own = automatic?.part.marks.at(-1);
    if (automatic === undefined || own === undefined || own === automatic.ttl) return undefined;
    return `Top-level cache_control has ttl='${automatic.ttl}' but the target block already has cache_control with ttl='${own}'`;
  },

  cache_marks_max: (submission) => {
    const explicit = submission.parts.reduce((sum, part) => sum + part.marks.length, 0);
    const found = explicit + (automaticMark(submission)?.part.marks.length === 0 ? 1 : 0);
    return found > MAX_MARKS && `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${found}.`;
  },

  cache_ttl_order: (submission) => {
    const automatic = automaticMark(submission);
    let short = false;
    for (const part of submission.parts) {
      for (const ttl of [...part.marks, ...(automatic?.part === part ? [automatic.ttl] : [])]) {
        if (ttl === '1h' && short)
          return (
            `${part.at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. ` +
            'Note that blocks are processed in the following order: `tools`, `system`, `messages`.'
          );
        short ||= ttl === '5m';
      }
    }
    return undefined;
  },

  cache_not_deferred: ({ request }) => {
    const wrong = request.tools?.find((tool) => tool.defer_loading === true && (tool.cache_control ?? null) !== null);
    return wrong && `Tool '${wrong.name}' cannot have both defer_loading=true and cache_control set.`;
  },
};

/** Finds the last part that can carry a mark, which gets the top-level one. */
export function automaticMark({ request, parts }: Submission): { part: Part; ttl: Ttl } | undefined {
  const part = parts.findLast(({ markable }) => markable);
  const mark = request.cache_control;
  return part === undefined || mark === undefined || mark === null ? undefined : { part, ttl: mark.ttl ?? '5m' };
}

/** Rules for the places of cache marks (docs/internals/api-rules.md §2.6). */
import type { Part, Ttl } from '../request/parts.ts';
import type { Submission } from '../request/submission.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';

const MAX_MARKS = 4;

export const CACHE_RULES: readonly Rule<Submission>[] = [
  { id: 'cache_automatic_ttl', check: automaticTtl },
  { id: 'cache_marks_max', check: marksMax },
  { id: 'cache_ttl_order', check: ttlOrder },
  { id: 'cache_not_deferred', check: notDeferred },
];

/** Finds the last part that can carry a mark, which gets the top-level one. */
export function automaticMark({ request, parts }: Submission): { part: Part; ttl: Ttl } | undefined {
  const part = parts.findLast(({ markable }) => markable);
  const mark = request.cache_control;
  return part === undefined || mark === undefined || mark === null ? undefined : { part, ttl: mark.ttl ?? '5m' };
}

function notDeferred({ request }: Submission): ApiError | undefined {
  const wrong = request.tools?.find((tool) => tool.defer_loading === true && (tool.cache_control ?? null) !== null);
  if (wrong === undefined) return undefined;
  return invalidRequest(`Tool '${wrong.name}' cannot have both defer_loading=true and cache_control set.`);
}

function automaticTtl(submission: Submission): ApiError | undefined {
  const automatic = automaticMark(submission);
  const own = automatic?.part.marks.at(-1);
  if (automatic === undefined || own === undefined || own === automatic.ttl) return undefined;
  return invalidRequest(
    `Top-level cache_control has ttl='${automatic.ttl}' but the target block already has cache_control with ttl='${own}'`,
  );
}

function marksMax(submission: Submission): ApiError | undefined {
  const explicit = submission.parts.reduce((sum, part) => sum + part.marks.length, 0);
  const automatic = automaticMark(submission);
  const found = explicit + (automatic !== undefined && automatic.part.marks.length === 0 ? 1 : 0);
  if (found > MAX_MARKS)
    return invalidRequest(`A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${found}.`);
  return undefined;
}

function ttlOrder(submission: Submission): ApiError | undefined {
  const automatic = automaticMark(submission);
  let short = false;
  for (const part of submission.parts) {
    for (const ttl of [...part.marks, ...(automatic?.part === part ? [automatic.ttl] : [])]) {
      if (ttl === '1h' && short) {
        return invalidRequest(
          `${part.at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. ` +
            'Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
        );
      }
      short ||= ttl === '5m';
    }
  }
  return undefined;
}

/** Takes current progress out of an archive, which is never written again and holds what stays true (S1.18). */
import { foldText } from '../../scenario/language/fold-text.ts';
import { findOpenTodos } from '../facts/ledger.ts';
import type { CutContext } from '../plan/compaction-cut.ts';
import { citedIds } from './claims.ts';
import { summaryLines, type SummaryValue } from './summary.ts';
import { leavingEntries } from './summary-request.ts';

/**
 * Leaves out the points that are no more than an open item of the todo list, which code carries, and those that rest on
 * entries of the running work alone, which stay in the view. Other policies replace their summary, so theirs may say it.
 * Nothing is lost: the view and the facts hold both. `current` is the number of these points.
 */
export function leaveOutProgress(context: CutContext, value: SummaryValue): { value: SummaryValue; current: number } {
  if (context.core.policy.summary.archive === undefined) return { value, current: 0 };
  const todos = findOpenTodos(context.snapshot.sources.done).map(foldText);
  const leaving = new Set(leavingEntries(context).map(({ id }) => id));
  const running = new Set(context.snapshot.projection.live.flatMap(({ id }) => (leaving.has(id) ? [] : [id])));

  function isProgress(point: SummaryValue): boolean {
    if (typeof point !== 'string') return false;
    const cited = [...citedIds(point)];
    const said = foldText(point);
    // A longer sentence may say what came of the item.
    return (
      (cited.length > 0 && cited.every((id) => running.has(id))) ||
      todos.some((todo) => todo !== '' && said.includes(todo) && said.length < 2 * todo.length)
    );
  }

  let current = 0;
  function clean(part: SummaryValue): SummaryValue {
    if (typeof part === 'string') return part;
    if (!Array.isArray(part)) return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, clean(one)]));
    const stays = part.filter((point) => !isProgress(point));
    current += part.length - stays.length;
    return stays.map(clean);
  }
  const cleaned = clean(value);
  // A summary of nothing else was paid for, and its work may be all that there is.
  return summaryLines(cleaned).length === 0 ? { value, current: 0 } : { value: cleaned, current };
}

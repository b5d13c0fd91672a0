/** Results of finished turns shrink to what their tool's rule leaves; the running turn sees them whole (S1.3, S1.4). */
import { fill } from '../../transcript/fill-template.ts';
import { compressInput, compressResult } from './compress-result.ts';
import type { Policy } from '../policy.ts';
import { toolResultsIn, startOfLatest } from './cut-draft.ts';
import type { Pass, ToolResultAt } from './cut-draft.ts';
import { pointerText } from './shorten-long-results.ts';

export const compressResults: Pass<'compress-results'> = function* (draft, { units, policy, spec }) {
  const shortened = { ...draft.shortened };
  const inputs = { ...draft.inputs };
  let count = 0;
  for (const unit of units.slice(draft.keepFrom, startOfLatest(units, spec.protectTurns)))
    for (const result of toolResultsIn(unit)) {
      const { call } = result;
      if (call === undefined || Object.hasOwn(shortened, call.id)) continue;
      const text = compressResult(result, policy, pointerText(policy, result.id, result.path));
      const input = compressInput(call, policy, pointerText(policy, unit.entries[0]?.id ?? result.id, undefined));
      if (text !== undefined) shortened[call.id] = text;
      if (input !== undefined) inputs[call.id] = input;
      if (text !== undefined || input !== undefined) count += 1;
    }
  if (count > 0) yield { draft: { ...draft, shortened, inputs }, detail: `${count} results of finished turns shrink` };
};

/** Old results leave altogether, the newest go last; what stands instead says where each is (S4.4). */
export const clearResults: Pass<'clear-results'> = function* (draft, { units, policy, spec }) {
  const old = units.slice(draft.keepFrom, startOfLatest(units, spec.protectTurns)).flatMap(toolResultsIn);
  const cleared = old.slice(0, Math.max(0, old.length - spec.keep)).flatMap((result) => clear(result, policy));
  const news = cleared.filter(([id, text]) => draft.shortened[id] !== text);
  if (news.length === 0) return;
  const shortened = { ...draft.shortened, ...Object.fromEntries(news) };
  yield { draft: { ...draft, shortened }, detail: `${news.length} old tool results leave` };
};

function clear({ id, path, text, block }: ToolResultAt, policy: Policy): [string, string][] {
  const said = fill(policy.results.cleared, { id, where: pointerText(policy, id, path) });
  return said.length < text.length ? [[block.tool_use_id, said]] : [];
}

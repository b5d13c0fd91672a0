/** Passes that edit retained messages: results are compressed or cleared, images become pointers. */
import type { MessageEntry } from '../../transcript/entry.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { listImageBlocks, countImageBytes } from '../../transcript/images.ts';
import { compressInput, compressResult } from './compress-result.ts';
import type { Policy } from '../policy.ts';
import { toolResultsIn, startOfLatest, type Pass, type ToolResultAt } from './cut-draft.ts';
import { pointerText } from './shorten-long-results.ts';

/** Results of finished turns shrink by their tool's rule; in the running turn they stay whole (S1.3, S1.4). */
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

/** Replaces old results, the newest last, by a pointer to each (S4.4). */
export const clearResults: Pass<'clear-results'> = function* (draft, { units, policy, spec }) {
  const old = units.slice(draft.keepFrom, startOfLatest(units, spec.protectTurns)).flatMap(toolResultsIn);
  const cleared = old.slice(0, Math.max(0, old.length - spec.keep)).flatMap((result) => clearResult(result, policy));
  const news = cleared.filter(([id, text]) => draft.shortened[id] !== text);
  if (news.length === 0) return;
  const shortened = { ...draft.shortened, ...Object.fromEntries(news) };
  yield { draft: { ...draft, shortened }, detail: `${news.length} old tool results leave` };
};

function clearResult({ id, path, text, block }: ToolResultAt, policy: Policy): [string, string][] {
  const note = fillTemplate(policy.results.cleared, { id, where: pointerText(policy, id, path) });
  return note.length < text.length ? [[block.tool_use_id, note]] : [];
}

/** Images that the model has read become pointers; the latest stay (S3.10, docs/internals/compaction-cases.md T24). */
export const pointToImages: Pass<'point-to-images'> = function* (draft, { units, policy, spec }) {
  const holders = units
    .slice(draft.keepFrom)
    .flatMap(({ entries }) => entries)
    .filter(({ id, message }) => !draft.left.has(id) && listImageBlocks(message).length > 0);
  const old = holders.slice(0, Math.max(0, holders.length - spec.keep)).filter(({ id }) => !(id in draft.pointers));
  if (old.length === 0) return;
  const pointers = { ...draft.pointers };
  for (const entry of old) pointers[entry.id] = imagePointer(entry, policy);
  yield { draft: { ...draft, pointers }, detail: `the images of ${old.length} messages become pointers` };
};

/** Returns the text that replaces a message's images in the view. */
export function imagePointer({ id, message }: MessageEntry, policy: Policy): string {
  const images = listImageBlocks(message);
  const bytes = images.reduce((sum, image) => sum + countImageBytes(image), 0);
  const media = [...new Set(images.map(({ source }) => source.media_type))].join(', ');
  return fillTemplate(policy.results.image, {
    id,
    media,
    bytes,
    where: fillTemplate(policy.longResult.fullText, { id }),
  });
}

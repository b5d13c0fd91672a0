/**
 * Images that the model has seen become pointers to where they are; the latest stay (S3.10,
 * docs/compaction-cases.md T24).
 */
import { fill } from '../../transcript/fill-template.ts';
import { imageBlocks, imageBytes } from '../../transcript/images.ts';
import type { MessageEntry } from '../../transcript/entry.ts';
import type { Policy } from '../policy.ts';
import type { Pass } from './cut-draft.ts';

export const pointToImages: Pass<'point-to-images'> = function* (draft, { units, policy, spec }) {
  const holders = units
    .slice(draft.keepFrom)
    .flatMap(({ entries }) => entries)
    .filter(({ id, message }) => !draft.left.has(id) && imageBlocks(message).length > 0);
  const old = holders.slice(0, Math.max(0, holders.length - spec.keep)).filter(({ id }) => !(id in draft.pointers));
  if (old.length === 0) return;
  const pointers = { ...draft.pointers };
  for (const entry of old) pointers[entry.id] = pointerTo(entry, policy);
  yield { draft: { ...draft, pointers }, detail: `the images of ${old.length} messages become pointers` };
};

function pointerTo({ id, message }: MessageEntry, policy: Policy): string {
  const images = imageBlocks(message);
  const bytes = images.reduce((sum, image) => sum + imageBytes(image), 0);
  const media = [...new Set(images.map(({ source }) => source.media_type))].join(', ');
  return fill(policy.results.image, { id, media, bytes, where: fill(policy.longResult.fullText, { id }) });
}

/** The part of a new compaction before the retained steps: its summary, the API's block, or the earlier summary. */
import { omitUndefined } from '../../omit-undefined.ts';
import { fill } from '../../transcript/fill-template.ts';
import type { CompactionEntry } from '../../transcript/entry.ts';
import type { CompactionReceipt } from '../../transcript/compaction-receipt.ts';
import type { CompactionBlock, Usage } from '../../transcript/message.ts';
import type { Core } from '../core.ts';
import { isEdit, type Cut, type CutContext } from '../plan/compaction-cut.ts';

export type SummaryMade = {
  summary: string;
  earlier: string[];
  reason: string;
  usage?: Usage;
  block?: CompactionBlock;
  claims?: CompactionReceipt['claims'];
};

type Head = Pick<CompactionEntry, 'request' | 'summary'> &
  Partial<Pick<CompactionEntry, 'place' | 'archives' | 'block' | 'keepsThinking'>>;

export function summaryPlacement(
  { snapshot, core, cut }: CutContext,
  { summary, block }: SummaryMade,
  request: string,
): Head {
  if (isEdit(cut)) return headOfEdit(snapshot.projection.compaction, core, request);
  if (block !== undefined) return { request, summary, place: 'server', block, keepsThinking: true };
  return {
    request,
    summary,
    place: placeOf(core, cut),
    ...(cut.archives.length === 0 ? {} : { archives: cut.archives }),
    ...(core.policy.thinking === 'drop_block' ? { keepsThinking: true } : {}),
  };
}

/** `user` for a model without system messages in the conversation, and for text of code, which no model answered. */
function placeOf({ policy, model }: Core, { by }: Cut): 'assistant' | 'user' | 'system' {
  const { place } = policy.summary;
  if (place === 'system') return model?.systemMessages === true ? 'system' : 'user';
  return by === 'code' ? 'user' : place;
}

/** The earlier summary stays; without one, nothing is put before the retained part. */
function headOfEdit(previous: CompactionEntry | undefined, { prompts }: Core, request: string): Head {
  if (previous === undefined) {
    const nothing = fill(prompts.bridge, {});
    return { request: nothing, summary: nothing, place: 'none' };
  }
  const { summary, place, archives, block } = previous;
  return {
    request: place === 'none' ? previous.request : request,
    summary,
    ...omitUndefined({ place, archives, block }),
  };
}

/** What stands before the kept steps of a new compaction: its summary, the API's block, or what stood there already. */
import { fill } from '../../transcript/fill-template.ts';
import type { CompactionEntry, Entry } from '../../transcript/entry.ts';
import type { CompactionReceipt } from '../../transcript/compaction-receipt.ts';
import type { CompactionBlock, Usage } from '../../transcript/message.ts';
import type { Core } from '../core.ts';
import { isEdit } from '../plan/compaction-cut.ts';
import type { Cut } from '../plan/compaction-cut.ts';
import { latestCompaction } from '../view/view.ts';

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
  entries: readonly Entry[],
  core: Core,
  cut: Cut,
  { summary, block }: SummaryMade,
  request: string,
): Head {
  const { policy } = core;
  if (isEdit(cut)) return editedHead(latestCompaction(entries), core, request);
  if (block !== undefined) return { request, summary, place: 'server', block, keepsThinking: true };
  const drops = policy.thinking === 'drop_block' ? { keepsThinking: true } : {};
  const archives = cut.archives.length === 0 ? {} : { archives: cut.archives };
  return { request, summary, place: placeOf(core, cut), ...archives, ...drops };
}

/** A model that takes no system messages gets them where the user speaks; what code says is never the model's answer. */
function placeOf({ policy, model }: Core, { by }: Cut): 'assistant' | 'user' | 'system' {
  const { place } = policy.summary;
  if (place === 'system') return model?.systemMessages === true ? 'system' : 'user';
  return by === 'code' ? 'user' : place;
}

/** The summary that stood there stands on; where there was none, nothing is put before the kept part. */
function editedHead(previous: CompactionEntry | undefined, { prompts }: Core, request: string): Head {
  if (previous === undefined) {
    const nothing = fill(prompts.bridge, {});
    return { request: nothing, summary: nothing, place: 'none' };
  }
  const { summary, place, archives, block } = previous;
  return {
    request: place === 'none' ? previous.request : request,
    summary,
    ...(place === undefined ? {} : { place }),
    ...(archives === undefined ? {} : { archives }),
    ...(block === undefined ? {} : { block }),
  };
}

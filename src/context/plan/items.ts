/** The view as typed items, each with its size and the order in which the policy would drop it (S2.1). */
import { estimateText } from '../../transcript/tokens.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { toSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import type { Core } from '../core.ts';
import { shortenMessage } from '../view/shortened-message.ts';
import { measureLoad } from './request-load.ts';
import { classifyUnit } from '../passes/drop-items.ts';
import type { ItemType } from '../pass-spec.ts';
import type { Policy } from '../policy.ts';
import { SKILL_LIST, SUBAGENT_STRATEGY } from '../view/injected-entries.ts';
import { currentSummaries } from '../summary/archives.ts';

export type Item = {
  /** Id of the entry or of the compaction that wrote the summary, or the layer's name. */
  id: string;
  type: ItemType;
  /** The header is never compacted (S2.5). */
  segment: 'header' | 'conversation';
  tokens: number;
  /** Place in the policy's list of rules: the smallest goes first; undefined: it goes only with a summary, or never. */
  priority?: number;
};

export function listItems(transcript: EntriesOrSnapshot, core?: Pick<Core, 'policy'>): Item[] {
  const { units, projection } = toSnapshot(transcript);
  const { layers, compaction } = projection;
  const order = core === undefined ? new Map<ItemType, number>() : rankItemTypes(core.policy);
  const inConversation = (id: string, type: ItemType, tokens: number): Item => ({
    ...{ id, type, segment: 'conversation', tokens },
    ...omitUndefined({ priority: order.get(type) }),
  });
  const { shortened = {}, inputs, pointers } = compaction ?? {};
  return [
    ...[...layers].map(([name, text]): Item => ({
      ...inConversation(name, LAYER_TYPES.get(name) ?? 'system_prompt', estimateText(text)),
      segment: 'header',
    })),
    ...currentSummaries(compaction).map((text) =>
      inConversation(compaction?.id ?? '', 'compaction_summary', estimateText(text)),
    ),
    ...units.flatMap((unit) =>
      unit.entries.map((entry) => {
        const edited = shortenMessage(entry.message, shortened, {
          keepsThinking: true,
          inputs,
          pointer: pointers?.[entry.id],
        });
        return inConversation(entry.id, entry.item ?? classifyUnit(unit), measureLoad(edited).tokens);
      }),
    ),
  ];
}

/** Layers that the source design has as items of their own. */
const LAYER_TYPES = new Map<string, ItemType>([
  [SUBAGENT_STRATEGY, 'subagent_strategy'],
  [SKILL_LIST, 'skill_metadata'],
]);

function rankItemTypes({ passes }: Policy): Map<ItemType, number> {
  const rules = passes.flatMap((spec) => (spec.pass === 'drop-items' ? spec.rules : []));
  const leaving = rules.filter(({ strategy }) => strategy !== 'none');
  return new Map(leaving.map(({ type }, place): [ItemType, number] => [type, place]).toReversed());
}

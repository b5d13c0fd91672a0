/** The view as typed items: what each is, what it weighs, and how soon the policy would let it go (S2.1). */
import { estimateText } from '../../transcript/tokens.ts';
import { splitSteps } from '../../transcript/step.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Core } from '../core.ts';
import { shortenMessage } from '../view/shortened-message.ts';
import { loadOf } from './request-load.ts';
import { typeOf } from '../passes/drop-items.ts';
import type { ItemType } from '../pass-spec.ts';
import type { Policy } from '../policy.ts';
import { currentSummaries } from '../summary/archives.ts';
import { project } from '../view/view.ts';

export type Item = {
  /** Of the entry, of the compaction that wrote a summary, or the layer's name. */
  id: string;
  type: ItemType;
  /** The header is never compacted (S2.5). */
  segment: 'header' | 'conversation';
  tokens: number;
  /** Place in the policy's list of rules: the smallest goes first; undefined: it goes only with a summary, or never. */
  priority?: number;
};

export function listItems(entries: readonly Entry[], { policy }: Core): Item[] {
  const { layers, compaction, live } = project(entries);
  const order = priorities(policy);
  const item = (id: string, type: ItemType, segment: Item['segment'], tokens: number): Item => {
    const priority = order.get(type);
    return { id, type, segment, tokens, ...(priority === undefined ? {} : { priority }) };
  };
  const { shortened = {}, inputs, pointers } = compaction ?? {};
  return [
    ...[...layers].map(([name, text]) => item(name, 'system_prompt', 'header', estimateText(text))),
    ...currentSummaries(compaction).map((text) =>
      item(compaction?.id ?? '', 'compaction_summary', 'conversation', estimateText(text)),
    ),
    ...splitSteps(live).flatMap((unit) =>
      unit.entries.map((entry) => {
        const kept = shortenMessage(entry.message, shortened, {
          keepsThinking: true,
          inputs,
          pointer: pointers?.[entry.id],
        });
        return item(entry.id, entry.item ?? typeOf(unit), 'conversation', loadOf(kept).tokens);
      }),
    ),
  ];
}

function priorities({ passes }: Policy): Map<ItemType, number> {
  const rules = passes.flatMap((spec) => (spec.pass === 'drop-items' ? spec.rules : []));
  const leaving = rules.filter(({ strategy }) => strategy !== 'none');
  return new Map(leaving.map(({ type }, place): [ItemType, number] => [type, place]).toReversed());
}

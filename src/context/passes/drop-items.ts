/** Whole units and items leave by their type, the first rule first; a call never leaves without its result (S2.2, S2.3). */
import type { Unit } from '../../transcript/step.ts';
import { listToolUses } from '../../transcript/message.ts';
import { SKILL_TOOL } from '../facts/active-skill.ts';
import type { ItemRule, ItemType } from '../pass-spec.ts';
import type { CutDraft, Pass, PassContext } from './cut-draft.ts';

export const dropItems: Pass<'drop-items'> = function* (draft, { units, pinned, spec }) {
  let { left } = draft;
  for (const rule of spec.rules) {
    const gone = selectDropped(rule, findDroppable(units.slice(draft.keepFrom), rule.type, { left, pinned }));
    if (gone.length === 0) continue;
    left = new Set([...left, ...gone.flat()]);
    const suffix = rule.strategy === 'truncate' ? `, the latest ${rule.keep} stay` : '';
    yield { draft: { ...draft, left }, detail: `${gone.length} × ${rule.type} leave${suffix}` };
  }
};

function selectDropped(rule: ItemRule, items: readonly string[][]): string[][] {
  if (rule.strategy === 'none') return [];
  return rule.strategy === 'drop' ? [...items] : items.slice(0, Math.max(0, items.length - rule.keep));
}

/** The remaining items of this type, oldest first, each with the entries that leave with it. */
function findDroppable(
  units: readonly Unit[],
  type: ItemType,
  { left, pinned }: Pick<CutDraft, 'left'> & Pick<PassContext, 'pinned'>,
): string[][] {
  return units.flatMap((unit, place) => {
    const entries = unit.entries.filter(({ id }) => !left.has(id));
    if (entries.length === 0) return [];
    if (classifyUnit(unit) !== type) return entries.flatMap(({ id, item }) => (item === type ? [[id]] : []));
    const ids = entries.map(({ id }) => id);
    const active = unit.kind === 'prompt' && place === units.length - 1;
    return active || ids.some((id) => pinned.has(id)) ? [] : [ids];
  });
}

/** A step that only loads skills counts as `skill_prompt`: the tool `skill` can show its text again. */
export function classifyUnit(unit: Unit): ItemType {
  if (unit.kind === 'prompt') return 'user_message';
  const calls = unit.entries.flatMap(({ message }) => listToolUses(message));
  if (calls.length === 0) return 'assistant_message';
  return calls.every(({ name }) => name === SKILL_TOOL) ? 'skill_prompt' : 'tool_result';
}

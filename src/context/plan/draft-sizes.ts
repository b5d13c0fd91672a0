/** The size of a draft's view: every unit is measured once, and again only when it is edited. */
import type { Unit } from '../../transcript/step.ts';
import { shortenMessage } from '../view/shortened-message.ts';
import { addLoad, loadOf, NO_LOAD, type Load } from './request-load.ts';
import type { CutDraft } from '../passes/cut-draft.ts';

export type Sizer = {
  /** Of the retained units; `pending` is the last user message, which is no step. */
  retained(draft: CutDraft): { steps: Load; pending: Load };
};

type Edits = Pick<CutDraft, 'shortened' | 'inputs' | 'left' | 'pointers'>;

export function createSizer(units: readonly Unit[], keepsThinking: boolean): Sizer {
  const plain = new Map<Unit, Load>();
  let known: { edits: Edits; suffix: Load[] } | undefined;

  function measure(unit: Unit, edits: Edits): Load {
    let sum = NO_LOAD;
    for (const { id, message } of unit.entries) {
      if (edits.left.has(id)) continue;
      const { inputs, pointers } = edits;
      sum = addLoad(
        sum,
        loadOf(shortenMessage(message, edits.shortened, { keepsThinking, inputs, pointer: pointers[id] })),
      );
    }
    return sum;
  }

  function sizeOf(unit: Unit, edits: Edits): Load {
    if (isEdited(unit, edits)) return measure(unit, edits);
    const found = plain.get(unit) ?? measure(unit, { shortened: {}, inputs: {}, left: new Set(), pointers: {} });
    plain.set(unit, found);
    return found;
  }

  /** Sums from the end, computed again only when the edits differ from the last attempt. */
  function suffixOf(edits: Edits): Load[] {
    if (known !== undefined && sameEdits(known.edits, edits)) return known.suffix;
    const suffix: Load[] = [NO_LOAD];
    for (const unit of units.toReversed()) suffix.push(addLoad(suffix.at(-1) ?? NO_LOAD, sizeOf(unit, edits)));
    suffix.reverse();
    known = { edits, suffix };
    return suffix;
  }

  return {
    retained(draft) {
      const all = suffixOf(draft)[draft.keepFrom] ?? NO_LOAD;
      const last = units.at(-1);
      const waits = last?.kind === 'prompt' && draft.keepFrom < units.length;
      const pending = waits ? sizeOf(last, draft) : NO_LOAD;
      return { steps: addLoad(all, pending, -1), pending };
    },
  };
}

function sameEdits(one: Edits, other: Edits): boolean {
  return (
    one.shortened === other.shortened &&
    one.inputs === other.inputs &&
    one.left === other.left &&
    one.pointers === other.pointers
  );
}

function isEdited(unit: Unit, { shortened, inputs, left, pointers }: Edits): boolean {
  return unit.entries.some(
    ({ id, message }) =>
      left.has(id) ||
      Object.hasOwn(pointers, id) ||
      message.content.some(
        (block) =>
          (block.type === 'tool_result' && Object.hasOwn(shortened, block.tool_use_id)) ||
          (block.type === 'tool_use' && Object.hasOwn(inputs, block.id)),
      ),
  );
}

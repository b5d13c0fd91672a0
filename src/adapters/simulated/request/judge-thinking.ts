/** Every thinking block of a request, and whether it is the one that was issued, where it was issued. */
import type { Prefixes } from './canonical.ts';
import type { ModelCard } from './models.ts';
import { isSignatureIntact, readSeal, isAtSignedPosition } from './thinking-signature.ts';
import type { ContentBlock } from './shape.ts';
import type { Turn } from './turns.ts';

export type Thought = {
  at: string;
  type: 'thinking' | 'redacted_thinking';
  /** Index of its turn. */
  turn: number;
  /** `other_model`: signed for another model, which this one cannot read; `moved`: content before it has changed. */
  verdict: 'good' | 'forged' | 'other_model' | 'moved';
};

export function judgeThoughts(turns: readonly Turn[], prefixes: Prefixes, model: ModelCard): Thought[] {
  return turns.flatMap(({ blocks }, turn) =>
    blocks.flatMap(({ at, block }, place): Thought[] => {
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return [];
      const verdict = judge(block, prefixes.before[turn]?.[place] ?? '', model);
      return [{ at, type: block.type, turn, verdict }];
    }),
  );
}

/** No redacted block is ever issued here, so none can be genuine. */
function judge(block: ContentBlock, prefix: string, model: ModelCard): Thought['verdict'] {
  const seal = block.type === 'thinking' ? readSeal(block.signature) : undefined;
  if (block.type !== 'thinking' || seal === undefined || !isSignatureIntact(seal, block.thinking)) return 'forged';
  if (seal.model !== model.id) return 'other_model';
  return model.thinking.bound && !isAtSignedPosition(seal, prefix) ? 'moved' : 'good';
}

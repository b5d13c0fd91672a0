/** Splits a request in the model's reading order: tools, system, messages; each part with its tokens and marks. */
import { canonicalBlock, canonicalSystem, canonicalTool, chainDigest } from './prefix-digests.ts';
import type { ModelCard } from './models.ts';
import { readSeal } from './thinking-signature.ts';
import type { ApiRequest, ContentBlock } from './shape.ts';
import { blockTokens, OVERHEAD, textTokens, toolTokens } from './tokens.ts';
import { type MergedTurn, lastUserTurn } from './turns.ts';

export type Ttl = '5m' | '1h';

export type Part = {
  at: string;
  tokens: number;
  /** The digest of this part and all before it. */
  digest: string;
  /** Cache marks on the part or inside it. */
  marks: Ttl[];
  /** Thinking may be cached, but not marked. */
  markable: boolean;
};

type OrderedRequest = {
  request: ApiRequest;
  model: ModelCard;
  turns: readonly MergedTurn[];
  dropped: ReadonlySet<string>;
};
type UnlinkedPart = Omit<Part, 'digest'> & { canonical: unknown };

export function requestParts(laid: OrderedRequest): Part[] {
  const { request, model } = laid;
  const messages = laid.turns.flatMap((turn, index) => turnParts(laid, turn, index));
  // Changed settings keep the cache of tools and system, but lose that of the messages (docs/internals/api-rules.md §2.6).
  const settings = [request.thinking?.type, request.output_config?.effort, request.tool_choice];
  let digest = chainDigest(model.id, 'cache');
  let open = true;
  return [...headParts(request, model.tokenFactor), ...messages].map(({ canonical, ...part }, index) => {
    if (open && part.at.startsWith('messages.')) {
      digest = chainDigest(digest, ['settings', ...settings]);
      open = false;
    }
    digest = chainDigest(digest, canonical);
    return { ...part, tokens: part.tokens + (index === 0 ? OVERHEAD.request : 0), digest };
  });
}

function headParts({ tools = [], system }: ApiRequest, factor: number): UnlinkedPart[] {
  const blocks = typeof system === 'object' ? system : [];
  return [
    ...tools.map((tool, index) => ({
      at: `tools.${index}`,
      tokens: toolTokens(tool, factor),
      marks: readMarks(tool),
      markable: true,
      canonical: canonicalTool(tool),
    })),
    ...canonicalSystem(system).map((canonical, index) => ({
      at: `system.${index}`,
      tokens: textTokens(typeof system === 'string' ? system : (blocks[index]?.text ?? ''), factor),
      marks: readMarks(blocks[index]),
      markable: true,
      canonical,
    })),
  ];
}

function turnParts({ model, turns, dropped }: OrderedRequest, turn: MergedTurn, index: number): UnlinkedPart[] {
  const finished = index < lastUserTurn(turns);
  return turn.blocks.map(({ at, block }, place) => {
    const thinking = block.type === 'thinking' || block.type === 'redacted_thinking';
    const unread = dropped.has(at) || (thinking && finished && !model.thinking.retained);
    const opening = place === 0 ? OVERHEAD.message : 0;
    return {
      at,
      tokens: opening + (unread ? 0 : countTokens(block, model.tokenFactor)),
      marks: [...nestedMarks(block), ...readMarks(block)],
      markable: !thinking,
      canonical: [place === 0 ? turn.role : '', canonicalBlock(block)],
    };
  });
}

/** Thinking counts with its original tokens, even when its text is not shown. */
function countTokens(block: ContentBlock, factor: number): number {
  const seal = block.type === 'thinking' ? readSeal(block.signature) : undefined;
  return seal?.tokens ?? blockTokens(block, factor);
}

function readMarks(holder: object | undefined): Ttl[] {
  const mark = holder !== undefined && 'cache_control' in holder ? holder.cache_control : undefined;
  if (typeof mark !== 'object' || mark === null) return [];
  return ['ttl' in mark && mark.ttl === '1h' ? '1h' : '5m'];
}

function nestedMarks(block: ContentBlock): Ttl[] {
  return block.type === 'tool_result' && typeof block.content === 'object' ? block.content.flatMap(readMarks) : [];
}

export function totalTokens(parts: readonly Part[]): number {
  return Math.ceil(parts.reduce((sum, part) => sum + part.tokens, 0));
}

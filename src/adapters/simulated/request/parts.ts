/** A request in the order in which the model reads it: tools, system, messages; each part with its tokens and marks. */
import { canonicalBlock, canonicalSystem, canonicalTool, link } from './canonical.ts';
import type { ModelCard } from './models.ts';
import { readSeal } from './thinking-signature.ts';
import type { ApiRequest, ContentBlock } from './shape.ts';
import { blockTokens, OVERHEAD, textTokens, toolTokens } from './tokens.ts';
import { type Turn, lastUserTurn } from './turns.ts';

export type Ttl = '5m' | '1h';

export type Part = {
  at: string;
  tokens: number;
  /** Represents this part and all before it. */
  digest: string;
  /** Cache marks on the part or inside it. */
  marks: Ttl[];
  /** Thinking may be cached, but not marked. */
  markable: boolean;
};

type Laid = { request: ApiRequest; model: ModelCard; turns: readonly Turn[]; dropped: ReadonlySet<string> };
type Loose = Omit<Part, 'digest'> & { canonical: unknown };

export function requestParts(laid: Laid): Part[] {
  const { request, model } = laid;
  const messages = laid.turns.flatMap((turn, index) => turnParts(laid, turn, index));
  // A change of these keeps the cache of tools and system, and loses that of the messages (docs/api-rules.md §2.6).
  const settings = [request.thinking?.type, request.output_config?.effort, request.tool_choice];
  let digest = link(model.id, 'cache');
  let open = true;
  return [...headParts(request, model.tokenFactor), ...messages].map(({ canonical, ...part }, index) => {
    if (open && part.at.startsWith('messages.')) {
      digest = link(digest, ['settings', ...settings]);
      open = false;
    }
    digest = link(digest, canonical);
    return { ...part, tokens: part.tokens + (index === 0 ? OVERHEAD.request : 0), digest };
  });
}

function headParts({ tools = [], system }: ApiRequest, factor: number): Loose[] {
  const blocks = typeof system === 'object' ? system : [];
  return [
    ...tools.map((tool, index) => ({
      at: `tools.${index}`,
      tokens: toolTokens(tool, factor),
      marks: markOf(tool),
      markable: true,
      canonical: canonicalTool(tool),
    })),
    ...canonicalSystem(system).map((canonical, index) => ({
      at: `system.${index}`,
      tokens: textTokens(typeof system === 'string' ? system : (blocks[index]?.text ?? ''), factor),
      marks: markOf(blocks[index]),
      markable: true,
      canonical,
    })),
  ];
}

function turnParts({ model, turns, dropped }: Laid, turn: Turn, index: number): Loose[] {
  const finished = index < lastUserTurn(turns);
  return turn.blocks.map(({ at, block }, place) => {
    const thinking = block.type === 'thinking' || block.type === 'redacted_thinking';
    const unread = dropped.has(at) || (thinking && finished && !model.thinking.retained);
    const opening = place === 0 ? OVERHEAD.message : 0;
    return {
      at,
      tokens: opening + (unread ? 0 : tokensOf(block, model.tokenFactor)),
      marks: [...nestedMarks(block), ...markOf(block)],
      markable: !thinking,
      canonical: [place === 0 ? turn.role : '', canonicalBlock(block)],
    };
  });
}

/** Thinking counts as it was thought, not as it is shown. */
function tokensOf(block: ContentBlock, factor: number): number {
  const seal = block.type === 'thinking' ? readSeal(block.signature) : undefined;
  return seal?.tokens ?? blockTokens(block, factor);
}

function markOf(holder: object | undefined): Ttl[] {
  const mark = holder !== undefined && 'cache_control' in holder ? holder.cache_control : undefined;
  if (typeof mark !== 'object' || mark === null) return [];
  return ['ttl' in mark && mark.ttl === '1h' ? '1h' : '5m'];
}

function nestedMarks(block: ContentBlock): Ttl[] {
  return block.type === 'tool_result' && typeof block.content === 'object' ? block.content.flatMap(markOf) : [];
}

export function totalTokens(parts: readonly Part[]): number {
  return Math.ceil(parts.reduce((sum, part) => sum + part.tokens, 0));
}

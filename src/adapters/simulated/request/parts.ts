/** Splits a request in the model's reading order: tools, system, messages; each part with its tokens and marks. */
import type { ModelCard } from './models.ts';
import { readSeal } from './thinking-signature.ts';
import type { ApiRequest, ContentBlock, ToolParam } from './shape.ts';
import { blockTokens, OVERHEAD, textTokens, toolTokens } from './tokens.ts';
import { type MergedTurn, lastUserTurn } from './turns.ts';
import { createHash } from 'node:crypto';
import { judgeCompaction, type SealedCompactionBlock } from './compaction-signature.ts';

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

/** Chains a part to the digest of everything before it. */
export function chainDigest(before: string, part: unknown): string {
  return createHash('sha256').update(before).update(JSON.stringify(part)).digest('hex');
}

function canonicalTool(tool: ToolParam): unknown {
  return ['tool', tool.name, tool.description, tool.input_schema, tool.strict === true, tool.input_examples];
}

function canonicalSystem(system: ApiRequest['system']): unknown[] {
  if (system === undefined || system === '') return [];
  return typeof system === 'string' ? [['system', system]] : system.map(({ text }) => ['system', text]);
}

/** A tool's input keeps the order of its keys, because the model reads them in it. */
export function canonicalBlock(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text':
      return ['text', block.text];
    case 'image':
      return ['image', block.source];
    case 'document':
      return ['document', block.source, block.title, block.context];
    case 'thinking':
      return ['thinking', block.thinking, block.signature];
    case 'redacted_thinking':
      return ['redacted_thinking', block.data];
    case 'tool_use':
    case 'server_tool_use':
      return [block.type, block.id, block.name, block.input];
    case 'web_search_tool_result':
      return [block.type, block.tool_use_id, block.content];
    case 'tool_result':
      return ['tool_result', block.tool_use_id, block.is_error === true, canonicalResult(block.content)];
    case 'compaction':
      return ['compaction', block.content, block.encrypted_content, block.signature];
    default:
      return block satisfies never;
  }
}

function canonicalResult(content: string | ContentBlock[] | undefined): unknown[] {
  if (content === undefined) return [];
  return typeof content === 'string' ? [['text', content]] : content.map(canonicalBlock);
}

/** `before[i][j]` is the digest of everything before block j of turn i; `end` that of everything before an answer. */
export type Prefixes = {
  before: string[][];
  end: string;
  /** Digest of system prompt and tools alone; and of all up to the last message, which a compaction represents. */
  head: string;
  last: string;
};

/**
 * Treats retained messages as if the summarised ones still preceded them, unless the rest has changed
 * (docs/internals/api-rules.md §5.4).
 */
function afterCompaction(block: SealedCompactionBlock, head: string, next: MergedTurn['role'] | undefined): string {
  const judged = judgeCompaction(block);
  if ('fault' in judged) return chainDigest(head, canonicalBlock(block));
  const { state } = judged;
  const unchanged = state.head === head && next !== state.lastRole && next !== 'system';
  return unchanged ? state.prefix : chainDigest(state.prefix, 'moved');
}

/** Computes the prefixes that bound thinking is sealed to: system, tools loaded at once, and all messages before. */
export function computePrefixes(request: ApiRequest, turns: readonly MergedTurn[]): Prefixes {
  const loaded = (request.tools ?? []).filter((tool) => tool.defer_loading !== true);
  const head = [...canonicalSystem(request.system), ...loaded.map(canonicalTool)];
  const headDigest = chainDigest('', head);
  let digest = headDigest;
  const before = turns.map(({ role, blocks }, index) => {
    digest = chainDigest(digest, ['role', role]);
    return blocks.map(({ block }) => {
      const here = digest;
      digest =
        block.type === 'compaction'
          ? afterCompaction(block, headDigest, turns[index + 1]?.role)
          : chainDigest(digest, canonicalBlock(block));
      return here;
    });
  });
  // A paused answer goes on in the same turn.
  const end = turns.at(-1)?.role === 'assistant' ? digest : chainDigest(digest, ['role', 'assistant']);
  return { before, end, head: headDigest, last: digest };
}

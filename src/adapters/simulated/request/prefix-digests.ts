/** Digests of a request's prefixes as the model sees them: cache marks and other wrapping do not count. */
import { createHash } from 'node:crypto';
import { judgeCompaction, type SealedCompactionBlock } from './compaction-signature.ts';
import type { ApiRequest, ContentBlock, ToolParam } from './shape.ts';
import type { MergedTurn } from './turns.ts';

/** Chains a part to the digest of everything before it. */
export function chainDigest(before: string, part: unknown): string {
  return createHash('sha256').update(before).update(JSON.stringify(part)).digest('hex');
}

export function canonicalTool(tool: ToolParam): unknown {
  return ['tool', tool.name, tool.description, tool.input_schema, tool.strict === true, tool.input_examples];
}

export function canonicalSystem(system: ApiRequest['system']): unknown[] {
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

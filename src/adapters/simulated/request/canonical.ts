/** What of a request the model sees, as digests of its prefixes: cache marks and other wrapping do not count. */
import { createHash } from 'node:crypto';
import { judgeCompaction, type SealedCompactionBlock } from './compaction-signature.ts';
import type { ApiRequest, ContentBlock, ToolParam } from './shape.ts';
import type { Turn } from './turns.ts';

/** Joins a part to what stood before it. */
export function link(before: string, part: unknown): string {
  return createHash('sha256').update(before).update(JSON.stringify(part)).digest('hex');
}

export function canonicalTool(tool: ToolParam): unknown {
  return ['tool', tool.name, tool.description, tool.input_schema, tool.strict === true, tool.input_examples];
}

export function canonicalSystem(system: ApiRequest['system']): unknown[] {
  if (system === undefined || system === '') return [];
  return typeof system === 'string' ? [['system', system]] : system.map(({ text }) => ['system', text]);
}

/** The keys of a tool's input keep their order: the model reads them in it. */
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
      return ['tool_use', block.id, block.name, block.input];
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

/** `before[i][j]` is everything before block j of turn i; `end` everything before an answer. */
export type Prefixes = {
  before: string[][];
  end: string;
  /** System prompt and tools alone, and everything up to the last message: what a compaction represents. */
  head: string;
  last: string;
};

/**
 * Retained messages are treated as if the summarised ones still preceded them, unless the rest has changed
 * (docs/api-rules.md §5.4).
 */
function afterCompaction(block: SealedCompactionBlock, head: string, next: Turn['role'] | undefined): string {
  const judged = judgeCompaction(block);
  if ('fault' in judged) return link(head, canonicalBlock(block));
  const { state } = judged;
  const unchanged = state.head === head && next !== state.lastRole && next !== 'system';
  return unchanged ? state.prefix : link(state.prefix, 'moved');
}

/** The prefixes that bound thinking is sealed to: system, tools that are loaded at once, and every message before. */
export function prefixesOf(request: ApiRequest, turns: readonly Turn[]): Prefixes {
  const loaded = (request.tools ?? []).filter((tool) => tool.defer_loading !== true);
  const head = [...canonicalSystem(request.system), ...loaded.map(canonicalTool)];
  const headDigest = link('', head);
  let digest = headDigest;
  const before = turns.map(({ role, blocks }, index) => {
    digest = link(digest, ['role', role]);
    return blocks.map(({ block }) => {
      const here = digest;
      digest =
        block.type === 'compaction'
          ? afterCompaction(block, headDigest, turns[index + 1]?.role)
          : link(digest, canonicalBlock(block));
      return here;
    });
  });
  return { before, end: link(digest, ['role', 'assistant']), head: headDigest, last: digest };
}

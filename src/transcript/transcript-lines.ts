/** Formats a transcript for people: messages, calls and results, each with the id of its entry. */
import { takeRuns } from './encoded-data.ts';
import { takeHead } from './tokens.ts';
import { getText, readFieldsBlock, type Block, type ToolResultBlock } from './message.ts';
import type { Entry, MessageEntry } from './entry.ts';

/** Returns one line per block. Calls and results carry the tool's name (docs/internals/compaction-cases.md T20). */
export function formatTranscript(entries: readonly Entry[], maxChars = Number.POSITIVE_INFINITY): string[] {
  const names = new Map<string, string>();
  return entries.flatMap((entry) => {
    if (entry.type === 'compaction') return [`[#${entry.id}] compacted through ${entry.coversThrough}`];
    if (entry.type === 'compaction_refused') return [`[#${entry.id}] compaction refused: ${entry.cause}`];
    if (entry.type === 'layer') return [`[#${entry.id}] layer ${entry.name}: ${entry.text.length} chars`];
    return formatMessageLines(entry, names, maxChars);
  });
}

/** Returns the visible text of a tool result, blocks joined by a newline. */
export function getResultText(block: ToolResultBlock): string {
  if (typeof block.content === 'string') return block.content;
  return getText({ content: block.content ?? [] });
}

function formatMessageLines(entry: MessageEntry, names: Map<string, string>, maxChars: number): string[] {
  const who = entry.origin === 'model' ? 'assistant' : entry.origin;
  return entry.message.content.flatMap((block) => {
    const line = formatBlockLine(block, who, names);
    return line === undefined ? [] : [`[#${entry.id}] ${takeHead(line.replaceAll(/\s+/g, ' ').trim(), maxChars)}`];
  });
}

function formatBlockLine(block: Block, who: string, names: Map<string, string>): string | undefined {
  switch (block.type) {
    case 'text':
      return `${who}: ${block.text}`;
    case 'image':
      return `${who}: (image)`;
    case 'tool_use':
      names.set(block.id, block.name);
      return `call ${block.name} ${block.malformed ?? JSON.stringify(block.input)}`;
    case 'tool_result': {
      const name = names.get(block.tool_use_id) ?? block.tool_use_id;
      return `${block.is_error === true ? 'error' : 'result'} ${name}: ${getResultText(block)}`;
    }
    case 'unknown':
      // Documents, and searches that the server made; fields of a message are its envelope.
      return readFieldsBlock(block) === undefined ? `${who}: (${describeWire(block.wire)})` : undefined;
    default:
      return undefined;
  }
}

/** Leaves out the bytes of files, which say nothing as text. */
function describeWire({ type, ...fields }: Readonly<Record<string, unknown>>): string {
  return `${String(type)} ${takeRuns(JSON.stringify(fields), LEAST_BYTES).rest}`;
}

const LEAST_BYTES = 400;

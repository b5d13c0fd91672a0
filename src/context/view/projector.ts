/** Puts messages into a form that the API takes: blank text and stray results leave, open calls get an answer. */
import { isWellFormed, TOOL_NAME } from '../../transcript/block-fault.ts';
import { toSendableImage } from '../../transcript/images.ts';
import { toSendableFile } from '../../transcript/foreign-files.ts';
import type { Block, Message, ToolResultBlock, ToolUseBlock } from '../../transcript/message.ts';

/** One message of the view, and the entry that it comes from. */
export type ViewMessage = { id: string; message: Message };

export type Projector = {
  push(id: string, message: Message): void;
  /** Answers the open calls; later results of these calls are dropped. */
  closeCalls(): void;
  /** Whether calls wait for their results. */
  open(): boolean;
  readonly shown: ViewMessage[];
  /** Entries without content that could be shown. */
  readonly skipped: string[];
};

/** The result of a call without a recorded one; a fixed text, so that the view never changes. */
const NO_RESULT = 'No result was recorded for this call. It may or may not have taken effect.';

/**
 * The form of a message depends on the messages before it, never on later ones: so appending an entry cannot change
 * the messages already shown, and the prompt cache stays valid.
 */
export function createProjector(): Projector {
  const shown: ViewMessage[] = [];
  const skipped: string[] = [];
  let open: ToolUseBlock[] = [];
  /** System messages that came while calls were open: they follow the results. */
  let waiting: Block[] = [];

  function closeCalls(): void {
    const last = shown.at(-1);
    if (last !== undefined && open.length > 0)
      shown.push({ id: last.id, message: { role: 'user', content: [...open.map(toMissingResult), ...waiting] } });
    open = [];
    waiting = [];
  }

  function takeResults(content: Block[]): Block[] {
    const results: Block[] = [];
    for (const block of content) {
      if (block.type !== 'tool_result' || !open.some(({ id }) => id === block.tool_use_id)) continue;
      open = open.filter(({ id }) => id !== block.tool_use_id);
      results.push(block);
    }
    const rest = content.filter((block) => block.type !== 'tool_result');
    if (rest.length === 0) return results;
    const missing = open.map(toMissingResult);
    open = [];
    return [...results, ...missing, ...rest];
  }

  /**
   * Whether a system message is allowed depends on the role of the next message, which is unknown. So it becomes a user
   * message whose text is marked as the system's.
   */
  function pushSystem(id: string, content: readonly Block[]): void {
    const texts = content.flatMap((block): Block[] =>
      block.type === 'text' ? [{ type: 'text', text: `<system_message>\n${block.text}\n</system_message>` }] : [],
    );
    if (open.length > 0) waiting = [...waiting, ...texts];
    else if (texts.length > 0) shown.push({ id, message: { role: 'user', content: texts } });
    else skipped.push(id);
  }

  function push(id: string, { role, content }: Message): void {
    const clean = content.flatMap(cleanBlock);
    if (role === 'system') return pushSystem(id, clean);
    if (role === 'user') {
      const taken = takeResults(clean);
      if (open.length === 0 && waiting.length > 0) {
        taken.push(...waiting);
        waiting = [];
      }
      if (taken.length > 0) shown.push({ id, message: { role, content: taken } });
      else skipped.push(id);
      return;
    }
    if (!clean.some(({ type }) => type === 'text' || type === 'tool_use')) return void skipped.push(id);
    closeCalls();
    shown.push({ id, message: { role, content: clean } });
    open = clean.filter((block) => block.type === 'tool_use');
  }

  return { push, closeCalls, open: () => open.length > 0, shown, skipped };
}

function toMissingResult({ id }: ToolUseBlock): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: id, content: NO_RESULT, is_error: true };
}

/** Thinking goes back unchanged or not at all; everything else loses blank text and half surrogate pairs, which no API takes. */
function cleanBlock(block: Block): Block[] {
  switch (block.type) {
    // Unsigned thinking comes from an answer cut short or from a proxy; no API accepts it.
    case 'thinking':
      return block.signature === '' || !isWellFormed(block) ? [] : [block];
    case 'redacted_thinking':
      return block.data === '' ? [] : [block];
    case 'image':
      return [toSendableImage(block)];
    case 'compaction':
      return [block];
    case 'unknown':
      return [toSendableFile(wellFormed(block))];
    case 'text':
      return isBlank(block.text) ? [] : [wellFormed(block)];
    case 'tool_use':
      return [{ ...wellFormed(block), name: sendableName(block.name) }];
    case 'tool_result':
      return [cleanResult(block)];
    default:
      return block satisfies never;
  }
}

/** A model may call an unknown tool by a name that the API itself would refuse. */
function sendableName(name: string): string {
  return TOOL_NAME.test(name) ? name : name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || '_';
}

function cleanResult({ content, ...block }: ToolResultBlock): ToolResultBlock {
  if (content === undefined) return block;
  if (typeof content === 'string') return isBlank(content) ? block : { ...block, content: content.toWellFormed() };
  const parts = content.flatMap((part): typeof content => {
    if (part.type === 'image') return [toSendableImage(part)];
    return isBlank(part.text) ? [] : [toSendableFile({ ...part, text: part.text.toWellFormed() })];
  });
  return parts.length > 0 ? { ...block, content: parts } : block;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function wellFormed<Value>(value: Value): Value;
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((part) => wellFormed(part));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key.toWellFormed(), wellFormed(part)]));
}

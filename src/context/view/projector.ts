/** Puts messages into a form that the API takes: blank text and stray results leave, open calls get an answer. */
import { isBlank, isWellFormed, TOOL_NAME } from '../../transcript/block-fault.ts';
import { toSendableImage, toSendableFile } from '../../transcript/images.ts';
import {
  createUserMessage,
  listToolUses,
  readFieldsBlock,
  type Block,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../transcript/message.ts';
import { createServerCallPairs } from './server-call-pairs.ts';
import { describeStray, toPlaceable, withMalformedInput, withoutErrorMark } from './unsendable-parts.ts';

/** One message of the view, and the entry that it comes from. */
export type ViewMessage = { id: string; message: Message };

export type Projector = {
  /** `pauses`: the answer is unfinished, and the server goes on with it. */
  push(id: string, message: Message, pauses?: boolean): void;
  /** Answers the open calls; later results of these calls become text. */
  closeCalls(isServerOpen?: boolean): void;
  /** The calls of the server that wait get no result any more: each becomes text. */
  closeServerCalls(): void;
  /** Whether calls wait for their results, or an answer for the rest that the server has yet to give. */
  open(): boolean;
  /** Whether the last message is an answer that the server has yet to finish. */
  paused(): boolean;
  readonly shown: ViewMessage[];
  /** Entries without content that could be shown. */
  readonly skipped: string[];
};

/** The API takes no request that begins with an answer, such as a greeting. */
const OPENED = '[The assistant opens this conversation.]';

/** The result of a call without a recorded one; a fixed text, so that the view never changes. */
const NO_RESULT = 'No result was recorded for this call. It may or may not have taken effect.';

/**
 * The form of a message depends on the messages before it, never on later ones: so appending an entry cannot change
 * the messages already shown, and the prompt cache stays valid. Only a call of the server that nobody will answer any more
 * changes its message.
 */
export function createProjector({ hasSummary = false } = {}): Projector {
  const [shown, skipped]: [ViewMessage[], string[]] = [[], []];
  const server = createServerCallPairs(shown);
  const given = new Map<string, ToolResultBlock>();
  let [paused, open]: [boolean, ToolUseBlock[]] = [false, []];
  /** Texts that came while calls were open, such as system messages: they follow the results. */
  const waiting: Block[] = [];

  /** What waits for longer stays for the next message: a call of the server is answered after results alone. */
  function closeCalls(isServerOpen = server.isOpen()): void {
    const last = shown.at(-1);
    if (last === undefined || open.length === 0) return;
    const content = [...open.splice(0).map(toMissingResult), ...(isServerOpen ? [] : waiting.splice(0))];
    shown.push({ id: last.id, message: { role: 'user', content } });
  }

  function takeResults(id: string, content: Block[]): Block[] {
    const results: Block[] = [];
    for (const block of content.filter((one) => one.type === 'tool_result')) {
      const call = open.find((one) => one.id === block.tool_use_id);
      if (call !== undefined) results.push(withMalformedInput(block, call));
      else waiting.push(...describeStray(block, id, given.get(block.tool_use_id)));
      given.set(block.tool_use_id, block);
      open = open.filter((one) => one !== call);
    }
    const rest = listSaid(content);
    const missing = rest.length > 0 ? open.splice(0).map(toMissingResult) : [];
    const mayFollow = open.length === 0 && (rest.length > 0 || !server.isOpen());
    return [...results, ...missing, ...rest, ...(mayFollow ? waiting.splice(0) : [])];
  }

  function pushSystem(id: string, texts: readonly Block[]): void {
    if (open.length > 0) return void waiting.push(...texts);
    if (texts.length === 0) return void skipped.push(id);
    server.close();
    shown.push({ id, message: { role: 'user', content: [...texts] } });
    paused = false;
  }

  function push(id: string, { role, content }: Message, pauses = false): void {
    const clean = content.flatMap(cleanBlock).map((block) => toPlaceable(block, role));
    if (role === 'assistant') return pushAnswer(id, clean, pauses);
    if (role === 'system') return pushSystem(id, clean.map(markAsSystem));
    const taken = takeResults(id, clean);
    if (taken.length === 0) return void skipped.push(id);
    if (taken.some(({ type }) => type !== 'tool_result')) server.close();
    shown.push({ id, message: { role, content: taken } });
    paused = false;
  }

  function pushAnswer(id: string, content: Block[], pauses: boolean): void {
    const isServerOpen = server.isOpen();
    const clean = server.takeResults(content);
    if (!clean.some(isAnswer)) return void skipped.push(id);
    closeCalls(isServerOpen);
    if (shown.length === 0 && !hasSummary) shown.push({ id, message: createUserMessage(OPENED) });
    if (shown.at(-1)?.message.role === 'user') server.close();
    shown.push({ id, message: { role: 'assistant', content: clean.map(withoutMalformedInput) } });
    server.takeCalls(clean);
    [open, paused] = [listToolUses({ content: clean }), pauses];
  }

  return {
    ...{ push, closeCalls, shown, skipped, closeServerCalls: () => server.close() },
    open: () => open.length > 0 || paused || server.isOpen(),
    paused: () => shown.at(-1)?.message.role === 'assistant' && open.length === 0 && (paused || server.isOpen()),
  };
}

/**
 * Whether a system message is allowed depends on the role of the next message, which is unknown. So it becomes a user
 * message whose text is marked as the system's.
 */
function markAsSystem(block: Block): Block {
  return block.type === 'text' ? { type: 'text', text: `<system_message>\n${block.text}\n</system_message>` } : block;
}

function toMissingResult(call: ToolUseBlock): ToolResultBlock {
  const missing = { type: 'tool_result' as const, tool_use_id: call.id, content: NO_RESULT, is_error: true };
  return withMalformedInput(missing, call);
}

function withoutMalformedInput(block: Block): Block {
  if (block.type !== 'tool_use' || block.malformed === undefined) return block;
  const { malformed: _malformed, ...call } = block;
  return call;
}

/** What a person says beside results. Fields of a message without words say nothing. */
function listSaid(content: readonly Block[]): Block[] {
  const others = content.filter((block) => block.type !== 'tool_result');
  return others.some((block) => readFieldsBlock(block) === undefined) ? others : [];
}

const THOUGHTS: ReadonlySet<string> = new Set(['reasoning', 'thinking', 'redacted_thinking']);

/** An answer of thoughts alone, or of fields, says nothing; a part that only its vendor knows may say something. */
function isAnswer(block: Block): boolean {
  if (block.type === 'unknown') return readFieldsBlock(block) === undefined && !THOUGHTS.has(block.wire.type);
  return block.type === 'text' || block.type === 'tool_use';
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
  return parts.length > 0 ? withoutErrorMark({ ...block, content: parts }) : block;
}

function wellFormed<Value>(value: Value): Value;
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((part) => wellFormed(part));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key.toWellFormed(), wellFormed(part)]));
}

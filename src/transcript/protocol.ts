/** Checks a request against the rules of the Messages API before it is sent. */
import {
  listToolUses,
  type Block,
  type CacheMark,
  type Message,
  type ProtocolFault,
  type SendableMessage,
} from './message.ts';
import { findBlockFault, TOOL_NAME } from './block-fault.ts';
import { createFault, findPairFault, type SeenCallIds } from './call-pairs.ts';

export type ProtocolRules = {
  /** The model binds a thinking block to all content before it (docs/internals/api-rules.md §2.5). */
  boundThinking: boolean;
  /** The model accepts a last assistant message as the start of its answer; none since 4.6 does. */
  prefill: boolean;
  /** Messages before this index were rewritten since the model answered, so they may hold no thinking. */
  rewrittenThrough?: number;
  /** Names of the tools sent along; checked when given. */
  toolNames?: readonly string[];
  /** Cache marks on tools and system prompt, in that order; they count and precede those on messages. */
  marksBefore?: readonly CacheMark[];
  /** Maximum number of images in one request. */
  maxImages?: number;
};

const MAX_MESSAGES = 100_000;
const MAX_MARKS = 4;

/** The block types that each role may hold. */
const ALLOWED_BLOCKS: Record<Message['role'], ReadonlySet<Block['type']>> = {
  user: new Set(['text', 'image', 'tool_result', 'unknown']),
  assistant: new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'compaction', 'unknown']),
  system: new Set(['text']),
};

/** Returns the first fault, or undefined when the request may be sent. */
export function findFault(messages: readonly SendableMessage[], rules: ProtocolRules): ProtocolFault | undefined {
  return findFaultFrom(messages, rules) ?? findMarkFault(messages, rules);
}

/**
 * `findFault` without the cache marks, for messages of which those before `from` are known to be good. `from` is an
 * answer after a user's turn, and `seen` has the ids of all calls before it.
 */
function findFaultFrom(
  messages: readonly SendableMessage[],
  rules: ProtocolRules,
  { from, seen }: { from: number; seen: SeenCallIds } = { from: 0, seen: new Set() },
): ProtocolFault | undefined {
  const rest = from === 0 ? messages : messages.slice(from);
  return (
    findRequestFault(messages, rules) ??
    rest.map((message, place) => findMessageFault(message, from + place, rules)).find(Boolean) ??
    rest.map((_, place) => findSystemFault(messages, from + place)).find(Boolean) ??
    findPairFault(rest, seen, from) ??
    findToolFault(rest, rules)
  );
}

function findRequestFault(messages: readonly SendableMessage[], rules: ProtocolRules): ProtocolFault | undefined {
  const last = messages.length - 1;
  if (last < 0) return { rule: 'no_messages', index: -1, message: 'At least one message is required.' };
  if (messages.length > MAX_MESSAGES)
    return createFault('too_many_messages', -1, `More than ${MAX_MESSAGES} messages.`);
  const [first] = messages;
  const isCompaction = first?.role === 'assistant' && first.content[0]?.type === 'compaction';
  if (first?.role !== 'user' && !isCompaction)
    return createFault('first_not_user', 0, 'The first message must be of the user.');
  if (messages[last]?.role === 'assistant' && !rules.prefill)
    return createFault('ends_with_assistant', last, 'The conversation must end with a user message.');
  if (rules.maxImages === undefined) return undefined;
  const images = messages.flatMap((message) => message.content).filter(holdsImage).length;
  if (images > rules.maxImages)
    return createFault('too_many_images', -1, `${images} blocks with images, the model takes ${rules.maxImages}.`);
  return undefined;
}

function findMessageFault(message: SendableMessage, index: number, rules: ProtocolRules): ProtocolFault | undefined {
  const kinds: ReadonlySet<string> | undefined = Object.hasOwn(ALLOWED_BLOCKS, message.role)
    ? ALLOWED_BLOCKS[message.role]
    : undefined;
  if (kinds === undefined) return createFault('role', index, `No role is named ${message.role}.`);
  if (message.content.length === 0)
    return createFault('empty_content', index, 'All messages must have non-empty content.');
  if (message.content.some(({ type }) => type === 'compaction') && (index > 0 || message.content.length > 1))
    return createFault('compaction_place', index, 'A compaction block comes first, in a message of its own.');
  if (message.content.every(isThinking))
    return createFault('only_thinking', index, 'A message cannot be thinking alone.');
  for (const block of message.content) {
    if (!kinds.has(block.type))
      return createFault('block_role', index, `A ${message.role} message cannot hold ${block.type}.`);
    const rule = findBlockFault(block);
    if (rule !== undefined) return createFault(rule, index, `A ${block.type} block breaks the rule ${rule}.`);
    if (isThinking(block) && rules.boundThinking && index < (rules.rewrittenThrough ?? 0))
      return createFault('thinking_after_rewrite', index, 'The thinking block is bound to a different conversation.');
  }
  return undefined;
}

/** A system message follows a user turn and is last, or precedes the assistant (docs/internals/api-rules.md §2.1). */
function findSystemFault(messages: readonly SendableMessage[], index: number): ProtocolFault | undefined {
  if (messages[index]?.role !== 'system') return undefined;
  const before = messages[index - 1]?.role;
  const after = messages[index + 1]?.role;
  if ((before === 'user' || before === 'system') && after !== 'user') return undefined;
  return createFault(
    'system_place',
    index,
    'A system message must follow a user turn and stand last or before the assistant.',
  );
}

/** Cache marks are counted over the whole request. */
export function findMarkFault(messages: readonly SendableMessage[], rules: ProtocolRules): ProtocolFault | undefined {
  const marks = (rules.marksBefore ?? []).map((mark) => ({ mark, index: -1 }));
  for (const [index, message] of messages.entries())
    for (const block of message.content) {
      if (block.cache_control === undefined) continue;
      if (isThinking(block))
        return createFault('mark_on_thinking', index, 'Thinking blocks cannot carry cache_control.');
      marks.push({ mark: block.cache_control, index });
    }
  const extra = marks[MAX_MARKS];
  if (extra)
    return createFault('too_many_marks', extra.index, `At most ${MAX_MARKS} cache marks, found ${marks.length}.`);
  const short = marks.findIndex(({ mark }) => mark.ttl !== '1h');
  const late = marks.find(({ mark }, place) => short >= 0 && place > short && mark.ttl === '1h');
  return late && createFault('mark_order', late.index, "A ttl='1h' mark must not come after a ttl='5m' mark.");
}

function findToolFault(messages: readonly SendableMessage[], rules: ProtocolRules): ProtocolFault | undefined {
  if (rules.toolNames === undefined) return undefined;
  const wrong = rules.toolNames.find((name) => !TOOL_NAME.test(name));
  if (wrong !== undefined) return createFault('tool_name', -1, `"${wrong}" cannot be the name of a tool.`);
  if (new Set(rules.toolNames).size < rules.toolNames.length)
    return createFault('tool_twice', -1, 'Tool names must be unique.');
  const used = messages.some(({ content }) =>
    content.some(({ type }) => type === 'tool_use' || type === 'tool_result'),
  );
  if (used && rules.toolNames.length === 0)
    return createFault('tools_missing', -1, 'Requests with tool_use or tool_result blocks must define tools.');
  return undefined;
}

function isThinking(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function holdsImage(block: Block): boolean {
  if (block.type !== 'tool_result') return block.type === 'image';
  return Array.isArray(block.content) && block.content.some((part) => part.type === 'image');
}

/** For a request that grows at its end: messages already found good are not checked again. Contract: answers as `findFault` does, without cache marks; fast when the messages extend those of the last call. */
export function createFaultFinder(): (
  messages: readonly SendableMessage[],
  rules: ProtocolRules,
) => ProtocolFault | undefined {
  let good: readonly SendableMessage[] = [];
  let under = '';
  let from = 0;
  let ids = new Set<string>();

  return (messages, rules) => {
    const now = JSON.stringify(rules);
    if (now !== under || !messages.slice(0, good.length).every((message, place) => message === good[place])) {
      [from, ids] = [0, new Set()];
    } else {
      const next = findLastTurn(good);
      for (const message of good.slice(from, next))
        for (const { id } of listToolUses({ content: [...message.content] })) ids.add(id);
      from = next;
    }
    const fresh = new Set<string>();
    const seen = { has: (id: string) => ids.has(id) || fresh.has(id), add: (id: string) => fresh.add(id) };
    const fault = findFaultFrom(messages, rules, { from, seen });
    [good, under] = fault === undefined ? [messages, now] : [[], ''];
    return fault;
  };
}

/** Returns the index of the last answer that follows a user message; everything before it is complete. */
function findLastTurn(messages: readonly SendableMessage[]): number {
  const place = messages.findLastIndex(
    ({ role }, index) => role === 'assistant' && messages[index - 1]?.role === 'user',
  );
  return Math.max(0, place);
}

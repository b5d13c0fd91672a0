/** Fields of messages that only their vendor knows: which of them an endpoint refuses, and messages without them. */

/** Fields that the APIs themselves give a message, a part of it or a call. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'name', 'tool_calls', 'tool_call_id', 'audio', 'id', 'type', 'function', 'custom'],
  ...['arguments', 'input', 'text', 'thinking', 'signature', 'data', 'source', 'tool_use_id', 'is_error', 'caller'],
  ...['cache_control', 'citations', 'title', 'context', 'encrypted_content', 'image_url', 'input_audio', 'file'],
  ...['toolCallId', 'toolName', 'output', 'providerExecuted', 'providerOptions', 'image', 'mediaType', 'filename'],
]);
/** Where a message holds parts of the vendor; inside of these the words of people, models and tools begin. */
const PARTS = ['content', 'tool_calls', 'function'];

function isPart(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Names the fields, unknown to the APIs, that stand in the messages and in the words of a refusal. */
export function findRefusedFields(messages: readonly unknown[], refusal: string): string[] {
  const words = new Set(refusal.split(/[^\w-]+/));
  return [...new Set(messages.flatMap((message) => listFields(message)))].filter((name) => words.has(name));
}

function listFields(part: unknown, depth = 0): string[] {
  if (!isPart(part) || depth > PARTS.length) return [];
  if (Array.isArray(part)) return part.flatMap((one) => listFields(one, depth));
  return Object.entries(part).flatMap(([name, value]) => [
    ...(KNOWN.has(name) ? [] : [name]),
    ...(isInner(name, depth) ? listFields(value, depth + 1) : []),
  ]);
}

/** The content of a part is a result of a tool, which is the tool's own. */
function isInner(name: string, depth: number): boolean {
  return PARTS.includes(name) && (name !== 'content' || depth === 0);
}

/** Copies a message without these fields, wherever `findRefusedFields` looks for them. */
export function omitFields<Message>(message: Message, names: ReadonlySet<string>, depth = 0): Message {
  if (names.size === 0 || !isPart(message) || depth > PARTS.length) return message;
  if (Array.isArray(message)) return message.map((one: unknown) => omitFields(one, names, depth)) as Message;
  const stays = Object.entries(message).flatMap(([name, value]) =>
    names.has(name) ? [] : [[name, isInner(name, depth) ? omitFields(value, names, depth + 1) : value]],
  );
  return Object.fromEntries(stays) as Message;
}

/** The line that people read about it. */
export function describeRefusedFields(names: readonly string[]): string {
  return `the endpoint refuses the field ${names.join(', ')}: it is left out from now on, and the request is sent once more`;
}

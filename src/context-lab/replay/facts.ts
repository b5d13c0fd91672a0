/** Facts that a conversation needs later: planted by its author, or ids that occur early and are used again. */
import { getResultText } from '../../transcript/transcript-lines.ts';
import { getText, listToolUses, type Message } from '../../transcript/message.ts';
import type { MessageEntry } from '../../transcript/entry.ts';

export type Fact = {
  text: string;
  /** Place of the first message with it, and of the last that needs it; both count messages of the conversation. */
  from: number;
  until: number;
};

/** Matches paths, hashes and ticket numbers: a path, or a word with letters and digits that no text has by chance. */
const ID = /(?<![\w./-])(?:[\w@-]+(?:\/[\w.@-]+)+|(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[A-Za-z0-9][\w.-]{5,60}\w)(?![\w-])/g;
const LONGEST = 160;
/** An id that is used again immediately does not test memory. */
const LEAST_GAP = 12;

/** Ids of people's messages or tool results that the model wrote into a call much later, the longest distance first. */
export function extractFacts(messages: readonly MessageEntry[], most: number): Fact[] {
  const seen = new Map<string, number>();
  const used = new Map<string, number>();
  for (const [place, { message, origin }] of messages.entries()) {
    const calls = listToolUses(message).map(({ input }) => JSON.stringify(input));
    const received = origin === 'model' ? '' : allText(message);
    for (const [id] of received.matchAll(ID)) if (id.length <= LONGEST && !seen.has(id)) seen.set(id, place);
    for (const [id] of calls.join('\n').matchAll(ID)) if (seen.has(id)) used.set(id, place);
  }
  return [...used]
    .map(([text, until]): Fact => ({ text, from: seen.get(text) ?? 0, until }))
    .filter(({ from, until }) => until - from >= LEAST_GAP)
    .toSorted((one, two) => two.until - two.from - (one.until - one.from) || (one.text < two.text ? -1 : 1))
    .slice(0, most);
}

/** Facts that must survive to the end; texts that no message contains are left out. */
export function plantedFacts(messages: readonly MessageEntry[], texts: readonly string[]): Fact[] {
  const contents = messages.map(({ message }) => allText(message));
  return texts.flatMap((text) => {
    const from = contents.findIndex((one) => one.includes(text));
    return from < 0 ? [] : [{ text, from, until: Number.POSITIVE_INFINITY }];
  });
}

/** Everything that a model reads of a message. */
export function allText(message: Pick<Message, 'content'>): string {
  const results = message.content.flatMap((block) => (block.type === 'tool_result' ? [getResultText(block)] : []));
  const calls = listToolUses(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
  const summaries = message.content.flatMap((block) => (block.type === 'compaction' ? [block.content] : []));
  return [getText(message), ...summaries, ...results, ...calls].join('\n');
}

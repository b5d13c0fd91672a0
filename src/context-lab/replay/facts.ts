/** Facts that a conversation needs later: planted by whoever made it, or ids that were seen early and used again. */
import { resultText } from '../../transcript/transcript-lines.ts';
import { textOf, toolUses } from '../../transcript/message.ts';
import type { MessageEntry } from '../../transcript/entry.ts';
import type { Message } from '../../transcript/message.ts';

export type Fact = {
  text: string;
  /** Place of the message that said it first, and of the last that needs it; both count messages of the conversation. */
  from: number;
  until: number;
};

/** Paths, hashes, numbers of tickets: a letter and a digit, or a path; nothing that any text might hold by chance. */
const ID = /(?<![\w./-])(?:[\w@-]+(?:\/[\w.@-]+)+|(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[A-Za-z0-9][\w.-]{5,60}\w)(?![\w-])/g;
const LONGEST = 160;
/** An id that is used again at once says nothing about memory. */
const LEAST_GAP = 12;

/** Ids that people or tools said and the model wrote into a call much later; those with the longest way first. */
export function extractFacts(messages: readonly MessageEntry[], most: number): Fact[] {
  const seen = new Map<string, number>();
  const used = new Map<string, number>();
  for (const [place, { message, origin }] of messages.entries()) {
    const calls = toolUses(message).map(({ input }) => JSON.stringify(input));
    const heard = origin === 'model' ? '' : allText(message);
    for (const [id] of heard.matchAll(ID)) if (id.length <= LONGEST && !seen.has(id)) seen.set(id, place);
    for (const [id] of calls.join('\n').matchAll(ID)) if (seen.has(id)) used.set(id, place);
  }
  return [...used]
    .map(([text, until]): Fact => ({ text, from: seen.get(text) ?? 0, until }))
    .filter(({ from, until }) => until - from >= LEAST_GAP)
    .toSorted((one, two) => two.until - two.from - (one.until - one.from) || (one.text < two.text ? -1 : 1))
    .slice(0, most);
}

/** Facts to be kept to the end; those that no message says are left out. */
export function plantedFacts(messages: readonly MessageEntry[], texts: readonly string[]): Fact[] {
  const said = messages.map(({ message }) => allText(message));
  return texts.flatMap((text) => {
    const from = said.findIndex((one) => one.includes(text));
    return from < 0 ? [] : [{ text, from, until: Number.POSITIVE_INFINITY }];
  });
}

/** Everything that a model reads of a message. */
export function allText(message: Pick<Message, 'content'>): string {
  const results = message.content.flatMap((block) => (block.type === 'tool_result' ? [resultText(block)] : []));
  const calls = toolUses(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
  const summaries = message.content.flatMap((block) => (block.type === 'compaction' ? [block.content] : []));
  return [textOf(message), ...summaries, ...results, ...calls].join('\n');
}

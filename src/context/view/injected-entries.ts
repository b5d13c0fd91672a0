/** The entries for what stands beside the conversation: layers of the system prompt, memory, the todo recap (S1.1, S4.2). */
import { headByTokens } from '../../transcript/cut-text.ts';
import { fill } from '../../transcript/fill-template.ts';
import { textOf, userText } from '../../transcript/message.ts';
import { estimateText } from '../../transcript/tokens.ts';
import type { Entry, ItemKind, LayerEntry, MessageEntry } from '../../transcript/entry.ts';
import type { Core } from '../core.ts';
import { findDone, todoLines } from '../facts/ledger.ts';
import { escapeTags, oneLine, underCap } from '../fact-tags.ts';

type Draft<E extends Entry> = Omit<E, 'version' | 'id' | 'parents' | 'lane' | 'step'>;

/** Undefined when the layer stands as it should; a change of it begins a new epoch, so nothing is written twice. */
export function layerEntry(
  entries: readonly Entry[],
  { policy, prompts }: Core,
  said: { law: { file: string; text: string } | undefined } | { skills: readonly string[] },
): Draft<LayerEntry> | undefined {
  const name = 'law' in said ? 'project_rules' : 'available_skills';
  const standing = entries.findLast((entry) => entry.type === 'layer' && entry.name === name);
  const text = layerText(said, policy.layers.lawTokens, prompts);
  if ((standing?.type === 'layer' ? standing.text : '') === text) return undefined;
  return { type: 'layer', name, text, note: fill(prompts.note, {}) };
}

function layerText(
  said: { law: { file: string; text: string } | undefined } | { skills: readonly string[] },
  cap: number,
  { law, skills }: Core['prompts'],
): string {
  if ('skills' in said) {
    const lines = said.skills.map((line) => `- ${oneLine(line)}`);
    return lines.length === 0 || skills === undefined ? '' : fill(skills, { skills: lines.join('\n') });
  }
  if (said.law === undefined || said.law.text.trim() === '' || law === undefined) return '';
  const whole = escapeTags(said.law.text);
  const head = headByTokens(whole, cap);
  const text =
    head.length < whole.length ? `${head}\n[... ${whole.length - head.length} chars more in the file ...]` : head;
  return fill(law, { file: oneLine(said.law.file), text });
}

/** What was asked last, to look for in memory. */
export function lastTask(entries: readonly Entry[]): { id: string; text: string } | undefined {
  const asked = entries.findLast(
    (entry): entry is MessageEntry =>
      entry.type === 'message' && entry.item === undefined && (entry.origin === 'human' || entry.origin === 'harness'),
  );
  return asked === undefined ? undefined : { id: asked.id, text: textOf(asked.message) };
}

/** Undefined when nothing was found, or when the task has its memory already. Under a cap: memory is the first to leave. */
export function memoryEntry(
  entries: readonly Entry[],
  { policy, prompts }: Core,
  task: string,
  found: readonly string[],
): Draft<MessageEntry> | undefined {
  const { memory } = policy.layers;
  const place = entries.findIndex(({ id }) => id === task);
  const has = entries.slice(place + 1).some((entry) => entry.type === 'message' && entry.item === 'memory');
  if (memory === undefined || prompts.memory === undefined || has || found.length === 0) return undefined;
  const lines = found.slice(0, memory.limit).map((line) => `- ${oneLine(line)}`);
  const memories = underCap(lines, memory.tokens, estimateText, 'more memories').join('\n');
  return itemEntry('memory', fill(prompts.memory, { memories }));
}

/**
 * Said again where the list changed or a turn began since it was said, after everything else: so it is last when it counts,
 * and nothing of what was sent before changes.
 */
export function recapEntry(entries: readonly Entry[], { policy, prompts }: Core): Draft<MessageEntry> | undefined {
  const since = entries.findLastIndex((entry) => entry.type === 'message' && entry.item === 'recap');
  const news = entries.slice(since + 1);
  const written = findDone(news).some(({ call }) => call.name === 'todo_write');
  const begun = news.some(
    (entry) =>
      entry.type === 'message' && entry.item === undefined && (entry.origin === 'human' || entry.origin === 'harness'),
  );
  if ((!written && !begun) || prompts.recap === undefined) return undefined;
  const todos = todoLines(findDone(entries), policy);
  return todos.length === 0 ? undefined : itemEntry('recap', fill(prompts.recap, { todos: todos.join('\n') }));
}

/** Each of the policy's injections stands once; what a rewrite took away is said again (S4.2). */
export function injectionEntries(entries: readonly Entry[], { prompts }: Core): Draft<MessageEntry>[] {
  const texts = prompts.inject ?? [];
  if (texts.length === 0) return [];
  const newest = entries.findLast(({ type }) => type === 'compaction');
  const covers = newest?.type === 'compaction' ? newest.coversThrough : '';
  const from = entries.findIndex(({ id }) => id === covers) + 1;
  const left = new Set(entries.flatMap((entry) => (entry.type === 'compaction' ? (entry.left ?? []) : [])));
  const standing = new Set(
    entries.flatMap((entry, place) =>
      entry.type === 'message' && entry.item === 'injection' && place >= from && !left.has(entry.id)
        ? [textOf(entry.message)]
        : [],
    ),
  );
  return texts.map((text) => text.trim()).flatMap((text) => (standing.has(text) ? [] : [itemEntry('injection', text)]));
}

/**
 * Text for the next call alone (S2.7). Where thinking is bound to what stood before it, a message that vanishes would make
 * the answer's thinking invalid: there it stays until the next rewrite.
 */
export function ephemeralEntry(text: string, boundThinking: boolean): Draft<MessageEntry> {
  return { ...itemEntry('ephemeral', text), ...(boundThinking ? {} : { lasts: 'call' as const }) };
}

export function itemEntry(item: ItemKind, text: string): Draft<MessageEntry> {
  return { type: 'message', origin: 'reminder', item, message: userText(text) };
}

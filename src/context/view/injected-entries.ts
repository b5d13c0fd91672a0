/** Entries that the harness injects: layers of the system prompt, memory, the todo recap (S1.1, S4.2). */
import { HarnessError } from '../../errors.ts';
import { takeHeadByTokens, estimateText } from '../../transcript/tokens.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { getText, createUserMessage } from '../../transcript/message.ts';
import { listImageBlocks } from '../../transcript/images.ts';
import { imagePointer } from '../passes/compress-results.ts';
import type { Entry, ItemKind, LayerEntry, MessageEntry, UnplacedEntry } from '../../transcript/entry.ts';
import type { Core } from '../core.ts';
import type { Policy } from '../policy.ts';
import { isTask } from '../facts/facts.ts';
import { findCompletedCalls, todoLines } from '../facts/ledger.ts';
import { escapeTags, oneLine, underCap } from '../fact-tags.ts';
import { latestCompaction } from './view.ts';

/** Rules that hold in the whole conversation, and where they come from. */
export type PinnedRules = { source: string; rules: readonly string[] };

type LayerSource =
  | { law: { file: string; text: string } | undefined }
  | { pinned: PinnedRules | undefined }
  | { skills: readonly string[] }
  | { strategy: string };

/** The layers of the system prompt that are items of a type of their own (S2.1). */
export const SKILL_LIST = 'available_skills';
export const SUBAGENT_STRATEGY = 'subagent_strategy';
const LAW = 'project_rules';
const PINNED_RULES = 'approved_rules';

/** Returns undefined when the layer has not changed, because a change begins a new epoch. */
export function layerEntry(
  entries: readonly Entry[],
  { policy, prompts }: Pick<Core, 'policy' | 'prompts'>,
  source: LayerSource,
): UnplacedEntry<LayerEntry> | undefined {
  const name = nameLayer(source);
  const current = findLayer(entries, name);
  const text = 'pinned' in source ? renderRules(source.pinned, policy, prompts) : layerText(source, policy, prompts);
  if ((current?.text ?? '') === text) return undefined;
  const rules = 'pinned' in source ? { rules: [...(source.pinned?.rules ?? [])] } : {};
  return { type: 'layer', name, text, ...rules, note: fillTemplate(prompts.note, {}) };
}

function nameLayer(source: LayerSource): string {
  if ('law' in source) return LAW;
  if ('pinned' in source) return PINNED_RULES;
  return 'skills' in source ? SKILL_LIST : SUBAGENT_STRATEGY;
}

function findLayer(entries: readonly Entry[], name: string): LayerEntry | undefined {
  return entries.findLast((entry): entry is LayerEntry => entry.type === 'layer' && entry.name === name);
}

/** Lists the pinned rules that are in force after these entries. */
export function listPinnedRules(entries: readonly Entry[]): readonly string[] {
  return findLayer(entries, PINNED_RULES)?.rules ?? [];
}

/** Throws `context_overflow` when the rules have more tokens than the policy carries: none of them may be cut or left out. */
function renderRules(pinned: PinnedRules | undefined, { layers, name }: Policy, prompts: Core['prompts']): string {
  if (pinned === undefined || pinned.rules.length === 0) return '';
  const rules = pinned.rules.map((rule) => `- ${escapeTags(rule.trim())}`).join('\n');
  const text = fillTemplate(prompts.rules ?? '{{rules}}', { source: oneLine(pinned.source), rules });
  const tokens = estimateText(text);
  if (tokens <= layers.rulesTokens) return text;
  throw new HarnessError(
    'context_overflow',
    `${pinned.rules.length} rules (${pinned.source}) have about ${tokens} tokens, and the policy "${name}" carries at most ` +
      `${layers.rulesTokens}: shorten the rules, or raise layers.rulesTokens in the policy.`,
    { details: { tokens, limit: layers.rulesTokens, rules: pinned.rules.length } },
  );
}

function layerText(
  source: Exclude<LayerSource, { pinned: unknown }>,
  { layers: { lawTokens: cap } }: Policy,
  { law, skills }: Core['prompts'],
): string {
  if ('strategy' in source) return source.strategy;
  if ('skills' in source) {
    const lines = source.skills.map((line) => `- ${oneLine(line)}`);
    return lines.length === 0 || skills === undefined ? '' : fillTemplate(skills, { skills: lines.join('\n') });
  }
  if (source.law === undefined || source.law.text.trim() === '' || law === undefined) return '';
  const whole = escapeTags(source.law.text);
  const head = takeHeadByTokens(whole, cap);
  const text =
    head.length < whole.length ? `${head}\n[... ${whole.length - head.length} chars more in the file ...]` : head;
  return fillTemplate(law, { file: oneLine(source.law.file), text });
}

/** The latest task, for a search in memory. */
export function lastTask(entries: readonly Entry[]): { id: string; text: string } | undefined {
  const task = entries.findLast(isTask);
  return task === undefined ? undefined : { id: task.id, text: getText(task.message) };
}

/** Returns undefined when nothing was found, or when the task already has its memory. The text is capped. */
// oxlint-disable-next-line max-params -- a public signature
export function memoryEntry(
  entries: readonly Entry[],
  { policy, prompts }: Core,
  task: string,
  found: readonly string[],
): UnplacedEntry<MessageEntry> | undefined {
  const { memory } = policy.layers;
  const place = entries.findIndex(({ id }) => id === task);
  const has = entries.slice(place + 1).some((entry) => entry.type === 'message' && entry.item === 'memory');
  if (memory === undefined || prompts.memory === undefined || has || found.length === 0) return undefined;
  const lines = found.slice(0, memory.limit).map((line) => `- ${oneLine(line)}`);
  const memories = underCap(lines, { tokens: memory.tokens, what: 'more memories' }).join('\n');
  return itemEntry('memory', fillTemplate(prompts.memory, { memories }));
}

/**
 * The todo list as the last message of every call, which leaves with it (S1.1). Thinking that is bound to what stood before
 * it leaves too: the text after the results has closed the tool loop.
 */
export function recapEntry(
  entries: readonly Entry[],
  { policy, prompts, model }: Core,
): UnplacedEntry<MessageEntry> | undefined {
  const since = entries.findLastIndex((entry) => entry.type === 'message' && entry.item === 'recap');
  const news = entries.slice(since + 1);
  const written = findCompletedCalls(news).some(({ call }) => call.name === 'todo_write');
  const answered = news.some((entry) => entry.type === 'message' && entry.origin === 'model');
  const rewritten = news.some(({ type }) => type === 'compaction');
  const due = written || rewritten || answered || news.some(isTask);
  if (!due || prompts.recap === undefined) return undefined;
  const todos = todoLines(findCompletedCalls(entries), policy);
  if (todos.length === 0) return undefined;
  const entry = itemEntry('recap', fillTemplate(prompts.recap, { todos: todos.join('\n') }));
  return { ...entry, lasts: 'call', ...(model?.boundThinking === true ? { dropsThinking: true } : {}) };
}

/** Each of the policy's injections once; one that a rewrite removed is injected again (S4.2). */
export function injectionEntries(entries: readonly Entry[], { prompts }: Core): UnplacedEntry<MessageEntry>[] {
  const texts = prompts.inject ?? [];
  if (texts.length === 0) return [];
  const from = findCutPlace(entries);
  const left = new Set(entries.flatMap((entry) => (entry.type === 'compaction' ? (entry.left ?? []) : [])));
  const shown = new Set(
    entries.flatMap((entry, place) =>
      entry.type === 'message' && entry.item === 'injection' && place >= from && !left.has(entry.id)
        ? [getText(entry.message)]
        : [],
    ),
  );
  return texts.map((text) => text.trim()).flatMap((text) => (shown.has(text) ? [] : [itemEntry('injection', text)]));
}

/** The place of the first entry that the newest compaction does not cover. */
function findCutPlace(entries: readonly Entry[]): number {
  const covered = latestCompaction(entries)?.coversThrough;
  return entries.findIndex(({ id }) => id === covered) + 1;
}

/** Images that an answer has followed become pointers; undefined when all of them are (S3.10). */
export function pointerEntry(
  entries: readonly Entry[],
  { policy, prompts }: Core,
): UnplacedEntry<MessageEntry> | undefined {
  const answered = entries.findLastIndex((entry) => entry.type === 'message' && entry.origin === 'model');
  const done = new Set(entries.flatMap((entry) => ('pointers' in entry ? Object.keys(entry.pointers ?? {}) : [])));
  const from = findCutPlace(entries);
  const seen = entries.slice(from, Math.max(from, answered)).flatMap((entry) => {
    const isNew = entry.type === 'message' && !done.has(entry.id) && listImageBlocks(entry.message).length > 0;
    return isNew ? [entry] : [];
  });
  if (seen.length === 0 || prompts.pointer === undefined) return undefined;
  const pointers = Object.fromEntries(seen.map((entry) => [entry.id, imagePointer(entry, policy)]));
  const text = fillTemplate(prompts.pointer, { ids: Object.keys(pointers).join(', ') });
  return { ...itemEntry('pointer', text), pointers };
}

/**
 * Text for the next call alone (S2.7). A model with bound thinking would reject its own thinking once an earlier message
 * vanishes, so for such a model the text stays until the next rewrite.
 */
export function ephemeralEntry(text: string, boundThinking: boolean): UnplacedEntry<MessageEntry> {
  const entry = itemEntry('ephemeral', text);
  return boundThinking ? entry : { ...entry, lasts: 'call' };
}

export function itemEntry(item: ItemKind, text: string): UnplacedEntry<MessageEntry> {
  return { type: 'message', origin: 'reminder', item, message: createUserMessage(text) };
}

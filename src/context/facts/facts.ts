/** The facts that code carries over a compaction word for word, from the whole transcript (S0.20). */
import { takeHead, takeHeadByTokens, takeTailByTokens, estimateText } from '../../transcript/tokens.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { compareEntries, getEntryNumber, type Entry, type MessageEntry } from '../../transcript/entry.ts';
import { getText } from '../../transcript/message.ts';
import { activeSkill, renderSkill, type ActiveSkill } from './active-skill.ts';
import type { Core } from '../core.ts';
import { findCompletedCalls, renderDecisions, renderLedger, renderTodos, type CompletedCall } from './ledger.ts';
import type { Policy } from '../policy.ts';
import { escapeTags, wrapInTag, wrapLines, oneLine, onePath, underCap } from '../fact-tags.ts';

export type Facts = {
  text: string;
  /** Paths that the summary or the facts must name (S0.13, S0.17). */
  keyPaths: string[];
};

/** The facts of the whole transcript, before any cap and any choice of what to carry. */
export type FactSources = {
  tasks: Tasks;
  /** The ledger: every call that was answered without an error. */
  done: readonly CompletedCall[];
  system: readonly TaskMessage[];
  /** Reminders of the running turn. */
  reminders: readonly TaskMessage[];
  skill: ActiveSkill | undefined;
};

export function findFacts(entries: readonly Entry[]): FactSources {
  return {
    tasks: findTasks(entries),
    done: findCompletedCalls(entries),
    system: findSystemMessages(entries),
    reminders: findReminders(entries),
    skill: activeSkill(entries),
  };
}

/** The mock user message that opens the view after a compaction (S0.9). */
export function compactedRequest({ prompts }: Core, facts: Facts): string {
  return fillTemplate(prompts.standing, { facts: facts.text });
}

export type FactsOptions = {
  /** The decision that a person still has to make. */
  openGate?: string | undefined;
  /** Facts that the last summary cited and the new one does not. */
  earlier?: readonly string[];
  /** Entries after the cut that left the view. */
  left?: readonly string[];
  /** Entries in the view, whose text need not be carried. */
  visible?: ReadonlySet<string>;
};

export function carryFacts(
  { tasks, done, system, reminders, skill }: FactSources,
  policy: Policy,
  { openGate, earlier = [], left = [], visible }: FactsOptions = {},
): Facts {
  const keyPaths = findKeyPaths(tasks);
  const sections = [
    ...renderTasks(visible === undefined ? tasks : withoutVisible(tasks, visible), policy),
    ...renderLines('system_messages', system, policy),
    ...renderLines(
      'reminders',
      visible === undefined ? reminders : reminders.filter(({ id }) => !visible.has(id)),
      policy,
    ),
    ...wrapLines(
      'carried_paths',
      keyPaths.map(([name, path]) => `- ${name}: ${path}`),
    ),
    ...(openGate === undefined ? [] : [wrapInTag('open_gate', escapeTags(openGate))]),
    ...renderTodos(done, policy),
    ...renderSkill(skill, policy),
    ...renderDecisions(done, policy),
    ...renderLedger(done, policy),
    ...wrapLines('earlier_facts', earlier),
    ...(left.length === 0 ? [] : [wrapInTag('left_out', describeLeft(left, policy))]),
  ];
  return { text: wrapInTag('carried_facts', sections.join('\n')), keyPaths: keyPaths.map(([, path]) => path) };
}

function describeLeft(left: readonly string[], policy: Policy): string {
  const shown = toIdRanges(left).map(({ from, through }) =>
    from === through ? `[#${from}]` : `[#${from}]-[#${through}]`,
  );
  return `${left.length} entries, each whole by ${fillTemplate(policy.longResult.fullText, { id: '<id>' })}: ${takeHead(shown.join(', '), 600)}`;
}

/** Joins ids that directly follow each other into one range. */
export function toIdRanges(ids: readonly string[]): { from: string; through: string }[] {
  const found: { from: string; through: string }[] = [];
  for (const { id } of ids.map((one) => ({ id: one })).toSorted(compareEntries)) {
    const last = found.at(-1);
    if (last !== undefined && getEntryNumber({ id }) - getEntryNumber({ id: last.through }) <= 1) last.through = id;
    else found.push({ from: id, through: id });
  }
  return found;
}

/** The agent's tasks in their original words (docs/internals/compaction-cases.md T16, T17, S0.20). */
type TaskMessage = { id: string; origin: MessageEntry['origin']; text: string };

/** `before` and `after`: the other messages before and after the current task. */
type Tasks = { first?: TaskMessage; before: TaskMessage[]; current?: TaskMessage; after: TaskMessage[] };

/** Files and folders that a task hands over: `execution_output_dir="…"`. */
const PATH_ATTRIBUTE = /\b([a-z][a-z0-9_]*_(?:dir|path|file|report))="([^"\n]{1,500})"/g;

/**
 * The current task is the latest message that hands over paths, else the latest message: a reminder or a question after
 * a hand-off does not replace it. The other messages are carried too, up to the cap.
 */
export function findTasks(entries: readonly Entry[]): Tasks {
  const messages = entries.filter(isTask).flatMap(toTaskMessages);
  const [first] = messages;
  const current = messages.findLast(({ text }) => pathsIn(text).length > 0) ?? messages.at(-1);
  if (first === undefined || current === undefined) return { before: [], after: [] };
  const place = messages.indexOf(current);
  const before = messages.slice(1, Math.max(1, place));
  return { ...(first === current ? {} : { first }), before, current, after: messages.slice(place + 1) };
}

/** True for words of a person or of the harness, which open a turn. */
export function isTask(entry: Entry): entry is MessageEntry {
  if (entry.type !== 'message' || entry.message.role !== 'user' || entry.item !== undefined) return false;
  return entry.origin === 'human' || entry.origin === 'harness';
}

/** The paths handed over by the tasks, the current one last; each name once, with its latest value. */
function findKeyPaths({ first, current }: Tasks): [name: string, path: string][] {
  const named = [...pathsIn(first?.text ?? ''), ...pathsIn(current?.text ?? '')];
  return [...new Map(named.map(([name, path]) => [name, onePath(path)]))];
}

/** Renders the tasks in their original order, so that the latest request is last. */
function renderTasks({ first, before, current, after }: Tasks, policy: Policy): string[] {
  const caps = policy.facts;
  const later = renderMessages(after, caps.messages);
  const earlier = renderMessages(before, later.left);
  return [
    ...(first === undefined ? [] : [wrapInTag('first_task', quoteTask(first, caps.firstTask, policy), first.id)]),
    ...earlier.lines,
    ...(current === undefined ? [] : [wrapInTag('carried_task', quoteTask(current, caps.task, policy), current.id)]),
    ...later.lines,
  ];
}

/** Messages that are in the view are left out of the facts. */
function withoutVisible({ first, before, current, after }: Tasks, visible: ReadonlySet<string>): Tasks {
  const gone = ({ id }: TaskMessage) => !visible.has(id);
  return {
    ...(first !== undefined && gone(first) ? { first } : {}),
    before: before.filter(gone),
    ...(current !== undefined && gone(current) ? { current } : {}),
    after: after.filter(gone),
  };
}

/** Blank messages say nothing. */
function toTaskMessages({ id, origin, message }: MessageEntry): TaskMessage[] {
  const text = getText(message);
  return text.trim() === '' ? [] : [{ id, origin, text }];
}

/** A system message in the middle of the conversation is valid until the end (S3.4). */
function findSystemMessages(entries: readonly Entry[]): TaskMessage[] {
  const messages = entries.filter((entry) => entry.type === 'message');
  return messages.filter(({ message }) => message.role === 'system').flatMap(toTaskMessages);
}

/** Reminders hold until a person's next message or the next task. */
function findReminders(entries: readonly Entry[]): TaskMessage[] {
  return entries.slice(entries.findLastIndex(isTask) + 1).flatMap((entry) => {
    if (entry.type !== 'message' || entry.holds !== 'turn') return [];
    return [{ id: entry.id, origin: entry.origin, text: getText(entry.message) }];
  });
}

function renderLines(
  tag: 'system_messages' | 'reminders',
  messages: readonly TaskMessage[],
  { facts }: Policy,
): string[] {
  const newest = messages
    .map(({ id, text }) => `${oneLine(takeHeadByTokens(text, facts.messages))} [#${id}]`)
    .toReversed();
  const lines = underCap(newest, { tokens: facts.messages, what: `older ${tag.replace('_', ' ')}` });
  return wrapLines(tag, lines.toReversed());
}

function pathsIn(text: string): [string, string][] {
  return [...text.matchAll(PATH_ATTRIBUTE)].map(([, name = '', path = '']) => [name, path]);
}

/** The newest messages under the cap; the others are listed by id. */
function renderMessages(messages: readonly TaskMessage[], cap: number): { lines: string[]; left: number } {
  const rendered: string[] = [];
  let left = cap;
  for (const { id, origin, text } of messages.toReversed()) {
    const body = `from ${origin}: ${escapeTags(text)}`;
    const tokens = estimateText(body);
    if (tokens > left) break;
    left -= tokens;
    rendered.unshift(wrapInTag('user_message', body, id));
  }
  const gone = messages.slice(0, messages.length - rendered.length).map(({ id }) => `[#${id}]`);
  if (gone.length > 0) rendered.unshift(`(${gone.length} earlier messages left out: ${takeHead(gone.join(' '), 400)})`);
  return { lines: wrapLines('user_messages', rendered), left };
}

/** Returns the text unchanged up to the cap; a longer one is cut in the middle, with a pointer to the whole text. */
function quoteTask({ id, text }: TaskMessage, cap: number, policy: Policy): string {
  const whole = escapeTags(text);
  if (estimateText(whole) <= cap) return whole;
  const head = takeHeadByTokens(whole, Math.floor(cap * 0.7));
  const tail = takeTailByTokens(whole.slice(head.length), Math.floor(cap * 0.25));
  const omitted = whole.length - head.length - tail.length;
  const where = fillTemplate(policy.longResult.fullText, { id });
  return `${head}\n[... ${omitted} chars omitted; full text: ${where} ...]\n${tail}`;
}

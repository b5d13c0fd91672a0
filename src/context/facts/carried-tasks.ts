/** What the agent was asked to do, in the words in which it was asked (docs/compaction-cases.md T16, T17, S0.20). */
import { headByTokens, headOf, tailByTokens } from '../../transcript/cut-text.ts';
import { fill } from '../../transcript/fill-template.ts';
import { textOf } from '../../transcript/message.ts';
import { estimateText } from '../../transcript/tokens.ts';
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import type { Policy } from '../policy.ts';
import { escapeTags, oneLine, onePath, tagged, underCap } from '../fact-tags.ts';

type TaskMessage = { id: string; origin: MessageEntry['origin']; text: string };

/** `before` and `after` are what else was said, as it stands to the current task. */
export type Tasks = { first?: TaskMessage; before: TaskMessage[]; current?: TaskMessage; after: TaskMessage[] };

/** Names of files and folders that a task hands over: `execution_output_dir="…"`. */
const PATH_ATTRIBUTE = /\b([a-z][a-z0-9_]*_(?:dir|path|file|report))="([^"\n]{1,500})"/g;

/**
 * The current task is the latest message that hands over paths, else the latest of all: a reminder or a question that
 * comes after a hand-off does not take its place. Everything else is carried too, as far as the cap reaches.
 */
export function findTasks(entries: readonly Entry[]): Tasks {
  const asked = entries.flatMap((entry): TaskMessage[] => {
    if (entry.type !== 'message' || entry.message.role !== 'user') return [];
    if ((entry.origin !== 'human' && entry.origin !== 'harness') || entry.item !== undefined) return [];
    const text = textOf(entry.message);
    return text.trim() === '' ? [] : [{ id: entry.id, origin: entry.origin, text }];
  });
  const [first] = asked;
  const current = asked.findLast(({ text }) => pathsIn(text).length > 0) ?? asked.at(-1);
  if (first === undefined || current === undefined) return { before: [], after: [] };
  const place = asked.indexOf(current);
  const before = asked.slice(1, Math.max(1, place));
  return { ...(first === current ? {} : { first }), before, current, after: asked.slice(place + 1) };
}

/** The paths handed over by the tasks, the current one last; each name once, with its latest value. */
export function findKeyPaths({ first, current }: Tasks): [name: string, path: string][] {
  const named = [...pathsIn(first?.text ?? ''), ...pathsIn(current?.text ?? '')];
  return [...new Map(named.map(([name, path]) => [name, onePath(path)]))];
}

/** In the order in which they were said, so that what was asked last stands last. */
export function renderTasks({ first, before, current, after }: Tasks, policy: Policy): string[] {
  const caps = policy.facts;
  const later = renderMessages(after, caps.messages);
  const earlier = renderMessages(before, later.left);
  return [
    ...(first === undefined ? [] : [tagged('first_task', verbatim(first, caps.firstTask, policy), first.id)]),
    ...earlier.lines,
    ...(current === undefined ? [] : [tagged('carried_task', verbatim(current, caps.task, policy), current.id)]),
    ...later.lines,
  ];
}

/** What the view shows as itself is left out of the facts. */
export function withoutVisible({ first, before, current, after }: Tasks, standing: ReadonlySet<string>): Tasks {
  const gone = ({ id }: TaskMessage) => !standing.has(id);
  return {
    ...(first !== undefined && gone(first) ? { first } : {}),
    before: before.filter(gone),
    ...(current !== undefined && gone(current) ? { current } : {}),
    after: after.filter(gone),
  };
}

/** What the system said in the middle of the conversation holds until the end (S3.4). */
export function renderSystem(entries: readonly Entry[], policy: Policy): string[] {
  const said = entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'system' && textOf(entry.message).trim() !== ''
      ? [`${oneLine(headByTokens(textOf(entry.message), policy.facts.messages))} [#${entry.id}]`]
      : [],
  );
  if (said.length === 0) return [];
  const lines = underCap(said.toReversed(), policy.facts.messages, estimateText, 'older system messages');
  return [tagged('system_messages', lines.toReversed().join('\n'))];
}

export function renderKeyPaths(tasks: Tasks): string[] {
  const paths = findKeyPaths(tasks);
  if (paths.length === 0) return [];
  return [tagged('carried_paths', paths.map(([name, path]) => `- ${name}: ${path}`).join('\n'))];
}

function pathsIn(text: string): [string, string][] {
  return [...text.matchAll(PATH_ATTRIBUTE)].map(([, name = '', path = '']) => [name, path]);
}

/** The newest under the cap; the others are named. */
function renderMessages(messages: readonly TaskMessage[], cap: number): { lines: string[]; left: number } {
  const kept: string[] = [];
  let left = cap;
  for (const { id, origin, text } of messages.toReversed()) {
    const body = `from ${origin}: ${escapeTags(text)}`;
    const tokens = estimateText(body);
    if (tokens > left) break;
    left -= tokens;
    kept.unshift(tagged('user_message', body, id));
  }
  const gone = messages.slice(0, messages.length - kept.length).map(({ id }) => `[#${id}]`);
  if (gone.length > 0) kept.unshift(`(${gone.length} earlier messages left out: ${headOf(gone.join(' '), 400)})`);
  return { lines: kept.length === 0 ? [] : [tagged('user_messages', kept.join('\n'))], left };
}

/** Word for word up to the cap; a longer one keeps its beginning and its end, and says where the rest is. */
function verbatim({ id, text }: TaskMessage, cap: number, policy: Policy): string {
  const whole = escapeTags(text);
  if (estimateText(whole) <= cap) return whole;
  const head = headByTokens(whole, Math.floor(cap * 0.7));
  const tail = tailByTokens(whole.slice(head.length), Math.floor(cap * 0.25));
  const omitted = whole.length - head.length - tail.length;
  const where = fill(policy.longResult.fullText, { id });
  return `${head}\n[... ${omitted} chars omitted; full text: ${where} ...]\n${tail}`;
}

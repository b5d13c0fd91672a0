/** The results of all tool calls of the transcript: files touched, decisions made, the current todo list. */
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { takeHead, estimateText } from '../../transcript/tokens.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import { listToolUses, type ToolUseBlock } from '../../transcript/message.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Policy } from '../policy.ts';
import { oneLine, onePath, wrapLines, underCap } from '../fact-tags.ts';

/** A call that was answered without an error; `id` is the entry of the answer. */
export type CompletedCall = { id: string; call: ToolUseBlock; answer: string };

/** Other tools touch files too, but only the input of these names the file. */
const VERBS: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'wrote',
  edit: 'edited',
  remove: 'removed',
  rename: 'renamed',
};
const PATH_CHARS = 300;
/** The most tokens for the input of one decision, and again for its answer. */
const DECISION_TOKENS = 100;
const TODO_TOOL = 'todo_write';
const Todo = z.looseObject({ text: z.string(), status: z.string() });

/** Leaves out failed calls, which did nothing, and unanswered ones, whose effect is unknown. */
export function findCompletedCalls(entries: readonly Entry[]): CompletedCall[] {
  const calls = new Map<string, ToolUseBlock>();
  return entries.flatMap((entry) => {
    if (entry.type !== 'message') return [];
    for (const call of listToolUses(entry.message)) calls.set(call.id, call);
    return entry.message.content.flatMap((block) => {
      if (block.type !== 'tool_result') return [];
      const call = calls.get(block.tool_use_id);
      calls.delete(block.tool_use_id);
      return call === undefined || block.is_error === true
        ? []
        : [{ id: entry.id, call, answer: getResultText(block) }];
    });
  });
}

/** One line per file, written ones before read ones, newest first: `- <path>: wrote, read [#e14]`. Bounded, because a list of paths can outgrow the window. */
export function renderLedger(done: readonly CompletedCall[], policy: Policy): string[] {
  const files = new Map<string, { verbs: Set<string>; id: string }>();
  for (const { id, verb, path } of done.toReversed().flatMap(listFileTouches)) {
    if (verb === undefined || typeof path !== 'string' || path.trim() === '') continue;
    const file = files.get(path) ?? { verbs: new Set<string>(), id };
    file.verbs.add(verb);
    files.set(path, file);
  }
  // Written files first: a file that was only read can be found again, and many reads must not push out a written one.
  const made = ({ verbs }: { verbs: Set<string> }): number => ([...verbs].some((verb) => verb !== 'read') ? 0 : 1);
  const ranked = [...files].toSorted(([, one], [, other]) => made(one) - made(other));
  const lines = ranked.map(
    ([path, { verbs, id }]) => `- ${takeHead(onePath(path), PATH_CHARS)}: ${[...verbs].join(', ')} [#${id}]`,
  );
  return wrapLines('file_ledger', underCap(lines, { tokens: policy.facts.ledger, what: 'older files' }));
}

function listFileTouches({
  id,
  call: { name, input },
}: CompletedCall): { id: string; verb: string | undefined; path: unknown }[] {
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  const own = { id, verb, path: input['file_path'] ?? input['path'] };
  return name === 'rename' ? [{ id, verb: 'wrote', path: input['new_path'] }, own] : [own];
}

/** Calls such as submit and return, newest first: no summary may lose them (S0.19). */
export function renderDecisions(done: readonly CompletedCall[], policy: Policy): string[] {
  const tools = new Set(policy.facts.decisionTools);
  const lines = done
    .filter(({ call }) => tools.has(call.name))
    .toReversed()
    .map(
      ({ id, call, answer }) =>
        `- ${call.name} ${formatBriefly(call.input)} -> ${formatBriefly(parseJson(answer) ?? answer)} [#${id}]`,
    );
  return wrapLines('carried_decisions', underCap(lines, { tokens: policy.facts.decisions, what: 'older decisions' }));
}

/** Renders the list as the tool last wrote it; later text of the model about it does not count. */
export function renderTodos(done: readonly CompletedCall[], policy: Policy): string[] {
  return wrapLines('carried_todos', todoLines(done, policy));
}

export function todoLines(done: readonly CompletedCall[], policy: Policy): string[] {
  const latest = done.findLast(({ call }) => call.name === TODO_TOOL);
  if (latest === undefined) return [];
  const list = latest.call.input['todos'];
  const lines = (Array.isArray(list) ? list : [latest.call.input]).map((todo) => `- ${todoLine(todo)} [#${latest.id}]`);
  return underCap(lines, { tokens: policy.facts.todos, what: 'more todos' });
}

/** The texts of the items that are not done. */
export function findOpenTodos(done: readonly CompletedCall[]): string[] {
  const list = done.findLast(({ call }) => call.name === TODO_TOOL)?.call.input['todos'];
  return (Array.isArray(list) ? list : []).flatMap((todo) => {
    const { data } = Todo.safeParse(todo);
    return data === undefined || data.status === 'done' ? [] : [data.text];
  });
}

function todoLine(todo: unknown): string {
  const known = Todo.safeParse(todo);
  if (!known.success) return oneLine(typeof todo === 'string' ? todo : JSON.stringify(todo));
  const { text, status, ...rest } = known.data;
  const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
  return oneLine(`[${status}] ${text}${more}`);
}

/**
 * Shortens a value to DECISION_TOKENS and marks each omission. It never cuts inside a value, which would then read as
 * another one: long texts end after a word, lists after an element.
 */
function formatBriefly(value: unknown): string {
  const limits = [400, 160, 80, 40].flatMap((chars) => [20, 8, 3, 1].map((items) => ({ chars, items })));
  const shorter = limits.map((most) => shortenValue(value, most));
  const texts = [value, ...shorter].map((one) => oneLine(typeof one === 'string' ? one : JSON.stringify(one)));
  return texts.find((text) => estimateText(text) <= DECISION_TOKENS) ?? '(long: see the entry)';
}

function shortenValue(value: unknown, most: { chars: number; items: number }): unknown {
  if (typeof value === 'string') return value.length <= most.chars ? value : `${cutAfterWord(value, most.chars)} (…)`;
  if (Array.isArray(value)) {
    // Lists of texts are mostly ids: short, and the subject of the decision. So they keep 20 elements.
    const items = value.every((one) => typeof one === 'string') ? 20 : most.items;
    const some = value.slice(0, items).map((one) => shortenValue(one, most));
    return value.length <= items ? some : [...some, `(${value.length - items} more)`];
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortenValue(one, most)]));
}

function cutAfterWord(text: string, chars: number): string {
  const head = takeHead(text, chars);
  return /^(.*\S)\s/s.exec(head)?.[1] ?? '';
}

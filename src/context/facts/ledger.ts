/** What the tool calls of the whole transcript did: files touched, decisions taken, the todo list as it stands. */
import { z } from 'zod';
import { headByTokens, headOf } from '../../transcript/cut-text.ts';
import { resultText } from '../../transcript/transcript-lines.ts';
import { toolUses } from '../../transcript/message.ts';
import { estimateText } from '../../transcript/tokens.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { ToolUseBlock } from '../../transcript/message.ts';
import type { Policy } from '../policy.ts';
import { oneLine, onePath, tagged, underCap } from '../fact-tags.ts';

/** A call that was answered without an error; `id` is the entry of the answer. */
type Done = { id: string; call: ToolUseBlock; answer: string };

/** Other tools touch files too, but only these say which, and how. */
const VERBS: Readonly<Record<string, string>> = { read: 'read', write: 'wrote', edit: 'edited' };
const PATH_CHARS = 300;
const TODO_TOOL = 'todo_write';
const Todo = z.looseObject({ text: z.string(), status: z.string() });

/** A call that failed did nothing, and one that was never answered cannot be said to have done anything. */
export function findDone(entries: readonly Entry[]): Done[] {
  const calls = new Map<string, ToolUseBlock>();
  return entries.flatMap((entry) => {
    if (entry.type !== 'message') return [];
    for (const call of toolUses(entry.message)) calls.set(call.id, call);
    return entry.message.content.flatMap((block) => {
      if (block.type !== 'tool_result') return [];
      const call = calls.get(block.tool_use_id);
      calls.delete(block.tool_use_id);
      return call === undefined || block.is_error === true ? [] : [{ id: entry.id, call, answer: resultText(block) }];
    });
  });
}

/**
 * One line per file, made ones before read ones, newest first: `- <path>: wrote, read [#e14]`. Bounded, for a list of
 * paths can outgrow all.
 */
export function renderLedger(done: readonly Done[], policy: Policy): string[] {
  const files = new Map<string, { verbs: Set<string>; id: string }>();
  for (const { id, call } of done.toReversed()) {
    const verb = Object.hasOwn(VERBS, call.name) ? VERBS[call.name] : undefined;
    const path = call.input['file_path'] ?? call.input['path'];
    if (verb === undefined || typeof path !== 'string' || path.trim() === '') continue;
    const file = files.get(path) ?? { verbs: new Set<string>(), id };
    file.verbs.add(verb);
    files.set(path, file);
  }
  if (files.size === 0) return [];
  // What the agent made comes first: a file that was only read can be found again, and many reads must not push it out.
  const made = ({ verbs }: { verbs: Set<string> }): number => (verbs.has('wrote') || verbs.has('edited') ? 0 : 1);
  const ranked = [...files].toSorted(([, one], [, other]) => made(one) - made(other));
  const lines = ranked.map(
    ([path, { verbs, id }]) => `- ${headOf(onePath(path), PATH_CHARS)}: ${[...verbs].join(', ')} [#${id}]`,
  );
  return [tagged('file_ledger', underCap(lines, policy.facts.ledger, estimateText, 'older files').join('\n'))];
}

/** Submitting, returning and the like: no summary may lose that they were done (S0.19). Newest first. */
export function renderDecisions(done: readonly Done[], policy: Policy): string[] {
  const tools = new Set(policy.facts.decisionTools);
  const lines = done
    .filter(({ call }) => tools.has(call.name))
    .toReversed()
    .map(({ id, call, answer }) => `- ${call.name} ${brief(JSON.stringify(call.input))} -> ${brief(answer)} [#${id}]`);
  if (lines.length === 0) return [];
  return [
    tagged('carried_decisions', underCap(lines, policy.facts.decisions, estimateText, 'older decisions').join('\n')),
  ];
}

/** The list as it was written last: what the model says about it later does not count. */
export function renderTodos(done: readonly Done[], policy: Policy): string[] {
  const lines = todoLines(done, policy);
  return lines.length === 0 ? [] : [tagged('carried_todos', lines.join('\n'))];
}

export function todoLines(done: readonly Done[], policy: Policy): string[] {
  const latest = done.findLast(({ call }) => call.name === TODO_TOOL);
  if (latest === undefined) return [];
  const list = latest.call.input['todos'];
  const lines = (Array.isArray(list) ? list : [latest.call.input]).map((todo) => `- ${todoLine(todo)} [#${latest.id}]`);
  return underCap(lines, policy.facts.todos, estimateText, 'more todos');
}

function todoLine(todo: unknown): string {
  const known = Todo.safeParse(todo);
  if (!known.success) return oneLine(typeof todo === 'string' ? todo : JSON.stringify(todo));
  const { text, status, ...rest } = known.data;
  const more = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
  return oneLine(`[${status}] ${text}${more}`);
}

function brief(text: string): string {
  return headByTokens(oneLine(text), 60);
}

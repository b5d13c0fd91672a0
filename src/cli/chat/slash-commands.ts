/** The words that a person may type instead of a message, such as `/current` and `/clean`, and what `/current` says (S3.8). */
import { count, tokens, usd } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { SessionState } from '../../run/session.ts';

const WORDS = {
  current: 'what this session has come to',
  clean: 'begin afresh; what was said stays on record',
  help: 'these words',
  quit: 'leave; the conversation stays on record',
} as const;
export type TypedCommand = keyof typeof WORDS;

/** `say`: an ordinary message. A slash in front of anything else is a slip, and nothing of it is sent to a model. */
export type TypedLine =
  | { type: 'word'; word: TypedCommand }
  | { type: 'unknown'; hint: string }
  | { type: 'say'; text: string };

/** A message that begins with a slash is written with two. */
export function readTypedLine(line: string): TypedLine {
  const text = line.trim();
  if (text.startsWith('//')) return { type: 'say', text: text.slice(1) };
  if (!text.startsWith('/')) return { type: 'say', text };
  const word = text.slice(1).toLowerCase();
  if (isWord(word)) return { type: 'word', word };
  return { type: 'unknown', hint: `${JSON.stringify(text.slice(0, 40))} is no word here. There are: ${shortList()}` };
}

function isWord(word: string): word is TypedCommand {
  return Object.hasOwn(WORDS, word);
}

function shortList(): string {
  return `${Object.keys(WORDS)
    .map((word) => `/${word}`)
    .join(', ')}. A message that begins with a slash is written with two: //…`;
}

/** What `/help` prints. */
export function helpLines(): string[] {
  return Object.entries(WORDS).map(([word, does]) => `/${word.padEnd(9)}${does}`);
}

/** What `/current` prints: a few lines; `tandem sessions show` says everything. */
export function currentLines({ id, status, messages, calls, ...rest }: SessionState): string[] {
  const { compactions, tokens: used, costUsd, workspace, todos, activeSkill, model } = rest;
  const open = todos.filter((todo) => todo.status !== 'done').length;
  return [
    `${id}  ${status}${model === null ? '' : `  ${model}`}`,
    `${count(messages.total, 'message')}, ${messages.inView} shown to the model now · ${count(compactions, 'compaction')}`,
    `${count(calls, 'call')}, ${tokens(used.input)} tokens in, ${tokens(used.output)} out, ${usd(costUsd)}`,
    ...(todos.length === 0 ? [] : [`${open} of ${count(todos.length, 'todo')} open`]),
    ...(activeSkill === null ? [] : [`skill ${activeSkill.name}`]),
    ...(workspace === null ? [] : [`workspace ${workspace}`]),
  ].map(terminalText);
}

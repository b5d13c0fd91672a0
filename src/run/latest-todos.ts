/** The todo list as an agent wrote it last: what it says about it elsewhere does not count (S3.1). */
import { z } from 'zod';
import { findDone } from '../context/facts/ledger.ts';
import type { Entry } from '../transcript/entry.ts';

const Todos = z.object({ todos: z.array(z.looseObject({ text: z.string(), status: z.string() })) });

/** Only a list that was taken counts; one of another form is no list. */
export function latestTodos(entries: readonly Entry[]): { text: string; status: string }[] {
  const latest = findDone(entries).findLast(({ call }) => call.name === 'todo_write');
  const parsed = Todos.safeParse(latest?.call.input);
  return parsed.success ? parsed.data.todos.map(({ text, status }) => ({ text, status })) : [];
}

/** Tells an agent that reads a file again when somebody else has changed it since (S1.12). */
import { findDone } from '../../context/facts/ledger.ts';
import type { ToolHost } from '../../ports/tool-host.ts';
import type { Entry } from '../../transcript/entry.ts';

const READ = 'read';
const WRITES = new Set(['write', 'edit', 'multi_edit']);

/** What was read of each file: by its path, then by the input of the call, for a part is not the whole. */
type Seen = Map<string, Map<string, string>>;

/**
 * By content, not by time: a result that holds a time would not be the same when a step is tried again. What the agent
 * wrote itself is no change from outside. What it read in earlier turns, in `earlier`, counts like what it reads now.
 */
export function freshReads(host: ToolHost, earlier: readonly Entry[] = []): ToolHost {
  const seen: Seen = new Map();
  for (const { call, answer } of findDone(earlier)) changedSince(seen, call.name, call.input, withoutNote(answer));
  return {
    ...host,
    call: async (name, input, signal) => {
      const answer = await host.call(name, input, signal);
      if (answer.is_error) return answer;
      const path = changedSince(seen, name, input, answer.content);
      return path === undefined ? answer : { ...answer, content: `${answer.content}${noteOf(path)}` };
    },
  };
}

/** The path, when this very read gave something else before; remembers what it gives now. */
function changedSince(seen: Seen, name: string, input: Record<string, unknown>, content: string): string | undefined {
  const path = input['file_path'];
  if (typeof path !== 'string') return undefined;
  if (WRITES.has(name)) seen.delete(path);
  if (name !== READ) return undefined;
  const reads = seen.get(path) ?? new Map<string, string>();
  const key = JSON.stringify(input);
  const before = reads.get(key);
  seen.set(path, reads.set(key, content.toWellFormed()));
  return before === undefined || before === content.toWellFormed() ? undefined : path;
}

const noteOf = (path: string): string => `\nNote: ${path} was modified externally.`;

function withoutNote(answer: string): string {
  return answer.replace(/\nNote: .* was modified externally\.$/, '');
}

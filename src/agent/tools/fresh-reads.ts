/** Adds a note when an agent reads or edits a file that somebody else changed since the agent last read it (S1.12). */
import { findCompletedCalls } from '../../context/facts/ledger.ts';
import type { ToolHost } from '../../ports/tools/tool-host.ts';
import type { Entry } from '../../transcript/entry.ts';

const READ = 'read';
const CHANGES = new Set(['write', 'edit', 'multi_edit']);
/** Tools that change files. */
export const WRITES: ReadonlySet<string> = new Set([...CHANGES, 'remove', 'rename']);
/** Number of parts of one file that are compared again; an agent that pages through a long file reads many. */
const MOST_PARTS = 8;
/** The note at the end of an answer, as it is written below. */
const NOTE = /\nNote: .* was modified externally\.$/;

type ToolCall = { name: string; input: Record<string, unknown> };
/** Contents read so far, by path and then by the input of the call, because a part is not the whole file. */
type ReadContents = Map<string, Map<string, string>>;

/**
 * Compares contents, not times, so that a repeated step gets the same result: earlier reads of the file are repeated
 * before the call. The agent's own writes are no changes. `earlier` holds the entries of earlier turns.
 */
export function withChangeNotes(host: ToolHost, earlier: readonly Entry[] = []): ToolHost {
  const reads: ReadContents = new Map();
  for (const { call, answer } of findCompletedCalls(earlier)) recordRead(reads, call, answer.replace(NOTE, ''));

  async function hasChanged(path: string, signal: AbortSignal): Promise<boolean> {
    for (const [input, before] of [...(reads.get(path) ?? [])].slice(-MOST_PARTS)) {
      const now = await host.call(READ, JSON.parse(input) as ToolCall['input'], signal);
      if (!now.is_error && now.content.toWellFormed() !== before) return true;
    }
    return false;
  }

  /** Repeats the agent's earlier reads after its own write, so that the write does not count as a change. */
  async function learn(path: string, signal: AbortSignal): Promise<void> {
    const parts = [...(reads.get(path)?.keys() ?? [])].slice(-MOST_PARTS);
    reads.delete(path);
    for (const part of parts.length === 0 ? [JSON.stringify({ file_path: path })] : parts) {
      const input = JSON.parse(part) as ToolCall['input'];
      const now = await host.call(READ, input, signal);
      if (!now.is_error) recordRead(reads, { name: READ, input }, now.content);
    }
  }

  return {
    ...host,
    call: async (name, input, signal) => {
      const path = input['file_path'];
      const isChanged =
        typeof path === 'string' && (name === READ || WRITES.has(name)) && (await hasChanged(path, signal));
      const answer = await host.call(name, input, signal);
      if (isChanged && name === READ) reads.delete(path);
      if (!answer.is_error && typeof path === 'string' && CHANGES.has(name)) await learn(path, signal);
      else if (!answer.is_error) recordRead(reads, { name, input }, answer.content);
      return isChanged ? { ...answer, content: `${answer.content}\nNote: ${path} was modified externally.` } : answer;
    },
  };
}

/** Stores the content of a read; a write by the agent discards what was known of the file. */
function recordRead(reads: ReadContents, { name, input }: ToolCall, content: string): void {
  const { file_path: path, new_path: moved } = input;
  if (typeof path !== 'string') return;
  if (WRITES.has(name)) reads.delete(path);
  if (name === 'rename' && typeof moved === 'string') reads.delete(moved);
  if (name !== READ) return;
  const parts = reads.get(path) ?? new Map<string, string>();
  parts.delete(JSON.stringify(input));
  reads.set(path, parts.set(JSON.stringify(input), content.toWellFormed()));
}

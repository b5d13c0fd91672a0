/** Adds a note where an agent reads or edits a file that changed, without it, since it read the file (S1.12). */
import { findDone } from '../../context/facts/ledger.ts';
import type { ToolHost } from '../../ports/tools/tool-host.ts';
import type { Entry } from '../../transcript/entry.ts';

const READ = 'read';
const CHANGES = new Set(['write', 'edit', 'multi_edit']);
/** Tools that change files. */
export const WRITES: ReadonlySet<string> = new Set([...CHANGES, 'remove', 'rename']);
/** Parts of one file that are looked at again; an agent that pages through a long file reads many. */
const MOST_PARTS = 8;

type Call = { name: string; input: Record<string, unknown> };
/** What was read: by path, then by the input of the call, because a part is not the whole. */
type Reads = Map<string, Map<string, string>>;

/**
 * Compares contents, not times, so that a repeated step gets the same result: what was read of the file is read again before
 * the call. The agent's own writes do not count as changes. `earlier`: the entries of earlier turns, whose reads count too.
 */
export function freshReads(host: ToolHost, earlier: readonly Entry[] = []): ToolHost {
  const reads: Reads = new Map();
  for (const { call, answer } of findDone(earlier)) note(reads, call, withoutNote(answer));

  async function hasChanged(path: string, signal: AbortSignal): Promise<boolean> {
    for (const [input, before] of [...(reads.get(path) ?? [])].slice(-MOST_PARTS)) {
      const now = await host.call(READ, JSON.parse(input) as Call['input'], signal);
      if (!now.is_error && now.content.toWellFormed() !== before) return true;
    }
    return false;
  }

  /** What the agent wrote itself is known as it now is, in the parts that it had read. */
  async function learn(path: string, signal: AbortSignal): Promise<void> {
    const parts = [...(reads.get(path)?.keys() ?? [])].slice(-MOST_PARTS);
    reads.delete(path);
    for (const part of parts.length === 0 ? [JSON.stringify({ file_path: path })] : parts) {
      const input = JSON.parse(part) as Call['input'];
      const now = await host.call(READ, input, signal);
      if (!now.is_error) note(reads, { name: READ, input }, now.content);
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
      else if (!answer.is_error) note(reads, { name, input }, answer.content);
      return isChanged ? { ...answer, content: `${answer.content}${noteOf(path)}` } : answer;
    },
  };
}

/** Stores what a read gave; after the agent's own write nothing of the file is known. */
function note(reads: Reads, { name, input }: Call, content: string): void {
  const { file_path: path, new_path: moved } = input;
  if (typeof path !== 'string') return;
  if (WRITES.has(name)) reads.delete(path);
  if (name === 'rename' && typeof moved === 'string') reads.delete(moved);
  if (name !== READ) return;
  const parts = reads.get(path) ?? new Map<string, string>();
  parts.delete(JSON.stringify(input));
  reads.set(path, parts.set(JSON.stringify(input), content.toWellFormed()));
}

const noteOf = (path: string): string => `\nNote: ${path} was modified externally.`;

function withoutNote(answer: string): string {
  return answer.replace(/\nNote: .* was modified externally\.$/, '');
}

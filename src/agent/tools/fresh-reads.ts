/** Tells an agent that reads a file again when somebody else has changed it since (S1.12). */
import type { ToolHost } from '../../ports/tool-host.ts';

const READ = 'read';
const WRITES = new Set(['write', 'edit', 'multi_edit']);

/**
 * By content, not by time: a result that holds a time would not be the same when a step is tried again. What the agent
 * wrote itself is no change from outside.
 */
export function freshReads(host: ToolHost): ToolHost {
  const seen = new Map<string, string>();
  return {
    ...host,
    call: async (name, input, signal) => {
      const answer = await host.call(name, input, signal);
      const path = pathOf(input);
      if (answer.is_error || path === undefined) return answer;
      if (WRITES.has(name)) {
        for (const key of seen.keys()) if (key.startsWith(`${path}\n`)) seen.delete(key);
        return answer;
      }
      if (name !== READ) return answer;
      const key = `${path}\n${JSON.stringify(input)}`;
      const before = seen.get(key);
      seen.set(key, answer.content);
      if (before === undefined || before === answer.content) return answer;
      return { ...answer, content: `${answer.content}\nNote: ${path} was modified externally.` };
    },
  };
}

function pathOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('file_path' in input)) return undefined;
  return typeof input.file_path === 'string' ? input.file_path : undefined;
}

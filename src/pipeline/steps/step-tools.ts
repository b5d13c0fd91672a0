/** What of the tools an agent gets in its step: those that its definition names, and no writing once the step is sealed. */
import type { ToolHost } from '../../ports/tool-host.ts';

/** A folder is no file to read, and still a place to go on from. */
export async function isReadable(files: ToolHost, path: string, signal: AbortSignal): Promise<boolean> {
  const { content, is_error } = await files.call('read', { file_path: path, view_range: [1, 1] }, signal);
  return !is_error || content.endsWith('is not a regular file');
}

/** The tools that the agent's definition names, and no other. */
export function pickTools(host: ToolHost, names: readonly string[]): ToolHost {
  return { ...host, definitions: host.definitions.filter((tool) => names.includes(tool.name)) };
}

/** Contract: `sealed` is asked at every call. */
export function guarded(host: ToolHost, sealed: () => boolean): ToolHost {
  return {
    ...host,
    call: async (name, input, signal) => {
      if (sealed() && ['write', 'edit'].includes(name)) {
        return {
          content: `${name}: this step is handed in and sealed; nothing in it can change any more.`,
          is_error: true,
        };
      }
      return host.call(name, input, signal);
    },
  };
}

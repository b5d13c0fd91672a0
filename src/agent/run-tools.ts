/** Turns tool_use blocks into tool_result blocks: one for one, in order; a failing tool never throws. */
import pLimit from 'p-limit';
import type { Message, ToolResultBlock, ToolUseBlock } from '../transcript/message.ts';
import type { ToolAnswer, ToolHost } from '../ports/tools/tool-host.ts';

/** Number of calls that run at the same time; further calls of the same answer wait. */
const MOST_TOGETHER = 8;

/** Runs calls one after the other, because the result of a write depends on the order; parallel neighbours run together. */
export async function runTools(
  calls: readonly ToolUseBlock[],
  hosts: readonly ToolHost[],
  signal: AbortSignal,
): Promise<Message> {
  const content: ToolResultBlock[] = [];
  for (const group of groupCalls(calls, hosts)) content.push(...(await runGroup(group, hosts, signal)));
  return { role: 'user', content };
}

function groupCalls(calls: readonly ToolUseBlock[], hosts: readonly ToolHost[]): ToolUseBlock[][] {
  const isParallel = ({ name }: ToolUseBlock) => findHost(name, hosts)?.parallel?.has(name) === true;
  const groups: ToolUseBlock[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last !== undefined && isParallel(call) && last.every(isParallel)) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** The first failure aborts the other calls; it is thrown once all of them have stopped. */
async function runGroup(
  calls: readonly ToolUseBlock[],
  hosts: readonly ToolHost[],
  outer: AbortSignal,
): Promise<ToolResultBlock[]> {
  const [only, ...others] = calls;
  if (only !== undefined && others.length === 0) return [await runTool(only, hosts, outer)];
  const failure = new AbortController();
  const signal = AbortSignal.any([outer, failure.signal]);
  const enter = pLimit(MOST_TOGETHER);
  const settled = await Promise.allSettled(
    calls.map((call) =>
      enter(async () => {
        try {
          return await runTool(call, hosts, signal);
        } catch (error) {
          failure.abort(error);
          throw error;
        }
      }),
    ),
  );
  outer.throwIfAborted();
  if (failure.signal.aborted) throw failure.signal.reason;
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function runTool(block: ToolUseBlock, hosts: readonly ToolHost[], signal: AbortSignal): Promise<ToolResultBlock> {
  signal.throwIfAborted();
  const { id, name, input } = block;
  const host = findHost(name, hosts);
  const known = hosts.flatMap(({ definitions }) => definitions.map((tool) => tool.name));
  const answer: ToolAnswer =
    host === undefined
      ? { content: `No tool is named ${name}. There are: ${known.join(', ')}.`, is_error: true }
      : await (host.callBlock?.(block, signal) ?? host.call(name, input, signal));
  return { type: 'tool_result', tool_use_id: id, content: toResultContent(answer), is_error: answer.is_error };
}

function findHost(name: string, hosts: readonly ToolHost[]): ToolHost | undefined {
  return hosts.find(({ definitions }) => definitions.some((tool) => tool.name === name));
}

function toResultContent({ content, images = [] }: ToolAnswer): NonNullable<ToolResultBlock['content']> {
  const text = toSendableText(content);
  return images.length === 0 ? text : [{ type: 'text', text }, ...images];
}

/** Replaces an empty or ill-formed text, which would make the next request invalid (docs/internals/api-rules.md §2.2). */
function toSendableText(text: string): string {
  const whole = text.toWellFormed();
  return whole.trim() === '' ? '(no output)' : whole;
}

/** Keeps only the tools that an agent's definition names. */
export function pickTools(host: ToolHost, names: readonly string[]): ToolHost {
  return { ...host, definitions: host.definitions.filter((tool) => names.includes(tool.name)) };
}

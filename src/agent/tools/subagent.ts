/** `call_subagent`: a task in a separate conversation, of which only the result is returned (S3.5). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isHarnessError } from '../../errors.ts';
import type { AgentSession } from '../session.ts';
import { controlTool, type ControlTool } from './control-tool.ts';

/** Runs a task in an empty session for at most `maxLoops` model calls; resolves with the closing text. */
export type RunSubagent = (
  child: AgentSession,
  work: { task: string; maxLoops: number },
  signal: AbortSignal,
) => Promise<string>;

export type SubagentOptions = { session: AgentSession; run: RunSubagent; mostLoops: number };

const DEFAULT_LOOPS = 10;

/** Contract: a sub-agent that stops is an answer with `ok: false`, and its messages stay in its lane; an abort passes. */
export function subagentTool(description: string, { session, run, mostLoops }: SubagentOptions): ControlTool {
  const CallSubagent = z.strictObject({
    task: z.string().min(1).max(20_000),
    max_loops: z.int().positive().max(mostLoops).default(Math.min(DEFAULT_LOOPS, mostLoops)),
  });
  return controlTool(
    { name: 'call_subagent', description, schema: CallSubagent },
    async ({ task, max_loops: maxLoops }, signal) => {
      const lane = laneName(session);
      const child = session.openLane(lane);
      const answer = (ok: boolean, result: string) => ({ ok, result, context_id: lane, loops: loopsOf(child) });
      try {
        return answer(true, await run(child, { task, maxLoops }, signal));
      } catch (error) {
        if (!isHarnessError(error, 'agent_stopped') && !isHarnessError(error, 'context_overflow')) throw error;
        return answer(false, error.message);
      }
    },
  );
}

/** The same at every try of a step: computed from the place in the transcript, not at random. */
function laneName({ all, entries }: AgentSession): string {
  const place = [all.length, all.at(-1)?.id, entries.at(-1)?.id];
  return `subagent-${createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 8)}`;
}

function loopsOf({ entries }: AgentSession): number {
  return entries.filter((entry) => entry.type === 'message' && entry.origin === 'model').length;
}

/** The tool `call_subagent` runs a task in a separate conversation and returns only its result (S3.5). */
import { sha256 } from '../../disk/sha256.ts';
import { z } from 'zod';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { getText, listToolUses } from '../../transcript/message.ts';
import type { AgentConversation } from '../agent-conversation.ts';
import { controlTool, type ControlTool } from './control-tool.ts';

export const SUBAGENT_TOOL = 'call_subagent';

/** Runs a task in an empty session for at most `maxLoops` model calls; resolves with the closing text. */
export type RunSubagent = (
  child: AgentConversation,
  work: { task: string; maxLoops: number },
  signal: AbortSignal,
) => Promise<string>;

export type SubagentOptions = {
  session: AgentConversation;
  run: RunSubagent;
  mostLoops: number;
  /** Set where sub-agents only read, so that several of one answer can work at the same time. */
  parallel: boolean;
};

const DEFAULT_LOOPS = 10;
/** Number of latest characters kept from what a stopped sub-agent had said. */
const MOST_CHARS = 20_000;

/**
 * Contract: a stopped sub-agent gives an answer with `ok: false` and what it has said; one that used up its answers is
 * `partial` too. Its messages stay in its lane. An abort is passed on.
 */
export function createSubagentTool(
  description: string,
  { session, run, mostLoops, parallel }: SubagentOptions,
): ControlTool {
  const CallSubagent = z.strictObject({
    task: z.string().min(1).max(20_000),
    max_loops: z.int().positive().max(mostLoops).default(Math.min(DEFAULT_LOOPS, mostLoops)),
  });
  const tool = controlTool(
    { name: SUBAGENT_TOOL, description, schema: CallSubagent },
    async ({ task, max_loops: maxLoops }, signal) => {
      const child = session.openLane(createLaneName(session), countSiblings(session));
      const about = () => ({ context_id: child.lane, loops: listAnswers(child).length });
      try {
        const result = await run(child, { task, maxLoops }, signal);
        const { context_id, loops } = about();
        // Before its last answer the sub-agent was reminded that no further answer follows.
        const partial = maxLoops > 1 && loops >= maxLoops ? true : undefined;
        return { ok: true, ...omitUndefined({ partial }), result, context_id, loops };
      } catch (error) {
        if (!isHarnessError(error, 'agent_stopped') && !isHarnessError(error, 'context_overflow')) throw error;
        return { ok: false, partial: true, why: error.message, result: joinAnswerTexts(child), ...about() };
      }
    },
  );
  return { ...tool, parallel };
}

/** Computes the name from the position in the transcript, so that it is the same at every try of a step. */
function createLaneName({ all, entries, opened }: AgentConversation): string {
  const own = entries.at(-1)?.id;
  const place = opened === 0 ? [all.length, all.at(-1)?.id, own] : [own, opened];
  return `subagent-${sha256(JSON.stringify(place)).slice(0, 8)}`;
}

/** Counts the lanes that the answer in progress opens. */
function countSiblings({ entries }: AgentConversation): number {
  const last = entries.at(-1);
  const calls = last?.type === 'message' ? listToolUses(last.message) : [];
  return Math.max(1, calls.filter(({ name }) => name === SUBAGENT_TOOL).length);
}

function listAnswers({ entries }: AgentConversation) {
  return entries.filter((entry) => entry.type === 'message').filter(({ origin }) => origin === 'model');
}

function joinAnswerTexts(child: AgentConversation): string {
  const texts = listAnswers(child).map(({ message }) => getText(message).trim());
  return texts
    .filter((text) => text !== '')
    .join('\n\n')
    .slice(-MOST_CHARS)
    .toWellFormed();
}

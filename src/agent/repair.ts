/** Makes a request that was refused, or answered with a refusal, acceptable: shorter, without thinking, or to another model. */
import type { Model, ModelFacts, ModelRequest } from '../ports/model.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { userText } from '../transcript/message.ts';
import type { Repair } from './next-action.ts';
import type { AgentSession } from './session.ts';

/** The agent's `fallback_model`, from a refusal on until the turn ends. */
export type FallbackModel = { model: Model; facts: ModelFacts };

/**
 * The reminder is text after open tool results: it closes their tool loop, which may not lose its thinking otherwise
 * (docs/api-rules.md §2.5). A compaction is made when the next request is fitted.
 */
export async function repairSession(session: AgentSession, repair: Repair, reminder: string): Promise<void> {
  if (repair === 'compact') return;
  await session.append({ type: 'message', origin: 'reminder', message: userText(reminder), dropsThinking: true });
}

/** The same conversation for another model, within what that model takes. */
export function requestFor({ facts }: FallbackModel, request: ModelRequest): ModelRequest {
  const { thinking, ...rest } = request;
  const kept = thinking?.block_binding !== undefined && facts.boundThinking ? thinking : undefined;
  const own = facts.thinking === undefined ? undefined : { type: facts.thinking };
  const max_tokens = Math.min(request.max_tokens, facts.maxOutput);
  return { ...rest, model: facts.id, max_tokens, ...omitUndefined({ thinking: kept ?? own }) };
}

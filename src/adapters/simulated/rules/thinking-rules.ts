/** Thinking must come back unchanged and where it was issued, or not at all (docs/internals/api-rules.md §2.5). */
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import { cameWithThinking } from '../request/thinking-signature.ts';
import { type Submission, isThinking } from '../request/submission.ts';
import { type MergedTurn, lastUserTurn } from '../request/turns.ts';

export const THINKING_RULES: readonly Rule<Submission>[] = [
  { id: 'thinking_as_signed', check: asSigned },
  { id: 'thinking_kept_in_open_loop', check: retainedInOpenLoop },
  { id: 'thinking_all_or_none', check: allOrNone },
  { id: 'thinking_prefix', check: prefixUnchanged },
  { id: 'thinking_opens_with_enabled', check: opensWithEnabled },
];

function modifiedError(at: string): ApiError {
  return invalidRequest(
    `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
      'These blocks must remain as they were in the original response.',
  );
}

function asSigned({ turns, thoughts }: Submission): ApiError | undefined {
  const forged = thoughts.find(({ verdict }) => verdict === 'forged');
  if (forged === undefined) return undefined;
  if (forged.turn > lastUserTurn(turns)) return modifiedError(forged.at);
  return invalidRequest(
    `${forged.at}: Invalid \`${forged.type === 'thinking' ? 'signature' : 'data'}\` in \`${forged.type}\` block`,
  );
}

function lacksThinking(turn: MergedTurn, model: string): boolean {
  const call = turn.blocks.findIndex(({ block }) => block.type === 'tool_use' && cameWithThinking(block.id, model));
  return call !== -1 && !turn.blocks.slice(0, call).some(({ block }) => block.type.endsWith('thinking'));
}

/** No thinking may be missing after the last real user text, not even all of it. */
function retainedInOpenLoop(submission: Submission): ApiError | undefined {
  if (!isThinking(submission)) return undefined;
  const { turns, model } = submission;
  const stripped = turns.slice(lastUserTurn(turns) + 1).find((turn) => lacksThinking(turn, model.id));
  return stripped === undefined ? undefined : modifiedError(`${stripped.at}.content.0`);
}

/** Newer thinking depends on older: when some is retained, all later thinking must be retained too. */
function allOrNone({ turns, thoughts, model, onMismatch }: Submission): ApiError | undefined {
  if (!model.thinking.bound || onMismatch !== 'error') return undefined;
  const first = thoughts.find(({ verdict }) => verdict !== 'other_model');
  if (first === undefined) return undefined;
  const stripped = turns.find((turn, index) => index > first.turn && lacksThinking(turn, model.id));
  return stripped === undefined
    ? undefined
    : invalidRequest(
        `${stripped.at}.content.0: the \`thinking\` block of this message was left out while ${first.at} was kept. ` +
          'Send back all `thinking` blocks, or none.',
      );
}

function prefixUnchanged({ thoughts, onMismatch }: Submission): ApiError | undefined {
  const moved = thoughts.find(({ verdict }) => verdict === 'moved');
  return moved === undefined || onMismatch !== 'error'
    ? undefined
    : invalidRequest(
        `${moved.at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. ` +
          'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
      );
}

/** With manual thinking, the assistant message that the newest tool results answer must begin with thinking. */
function opensWithEnabled({ request, turns }: Submission): ApiError | undefined {
  if (request.thinking?.type !== 'enabled') return undefined;
  const latest = turns.slice(lastUserTurn(turns) + 1).findLast(({ role }) => role === 'assistant');
  const first = latest?.blocks[0];
  return first === undefined || first.block.type.endsWith('thinking')
    ? undefined
    : invalidRequest(`${first.at}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\``);
}

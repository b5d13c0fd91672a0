/** Rules for the order of roles, and for the content of each message (docs/internals/api-rules.md §2.1 and §2.2). */
import { asksFor } from './compaction-rules.ts';
import { listOpenServerCalls } from './server-tool-rules.ts';
import { type Submission, isThinking } from '../request/submission.ts';
import { type IndexedBlock, type MergedTurn, lastUserTurn } from '../request/turns.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import type { ContentBlock } from '../request/shape.ts';
import { cameWithThinking } from '../request/thinking-signature.ts';

const MAX_MESSAGES = 100_000;

export const ORDER_RULES: readonly Rule<Submission>[] = [
  { id: 'messages_present', check: messagesPresent },
  { id: 'first_is_user', check: firstIsUser },
  { id: 'system_role_supported', check: systemRoleSupported },
  { id: 'system_place', check: systemPlace },
  { id: 'content_present', check: contentPresent },
  { id: 'block_in_its_role', check: blockInItsRole },
  { id: 'text_not_blank', check: textNotBlank },
  { id: 'no_prefill', check: noPrefill },
  { id: 'prefill_not_trailing_space', check: prefillNotTrailingSpace },
];

function messagesPresent({ request }: Submission): ApiError | undefined {
  if (request.messages.length === 0) return invalidRequest('messages: at least one message is required');
  if (request.messages.length > MAX_MESSAGES)
    return invalidRequest(`messages: at most ${MAX_MESSAGES} messages are allowed, found ${request.messages.length}`);
  return undefined;
}

/** An assistant message may come first only as a compaction. */
function firstIsUser({ turns }: Submission): ApiError | undefined {
  const first = turns[0];
  if (first?.role === 'user' || first?.blocks[0]?.block.type === 'compaction') return undefined;
  return invalidRequest(`messages.0: the first message must be a user message`);
}

function systemRoleSupported({ turns, model }: Submission): ApiError | undefined {
  const found = turns.find(({ role }) => role === 'system');
  if (found === undefined || model.systemMessages) return undefined;
  return invalidRequest(`${found.at}: role 'system' is not supported on this model`);
}

/** Allowed after a user turn, last or before an assistant turn, so that it never parts a tool_use from its result. */
function systemPlace({ turns }: Submission): ApiError | undefined {
  const wrong = turns.find(
    ({ role }, index) =>
      role === 'system' &&
      (turns[index - 1]?.role !== 'user' || (turns[index + 1]?.role ?? 'assistant') !== 'assistant'),
  );
  if (wrong === undefined) return undefined;
  return invalidRequest(
    `${wrong.at}: a system message must follow a user message, and be last or before an assistant message`,
  );
}

function contentPresent({ request }: Submission): ApiError | undefined {
  const index = request.messages.findIndex(({ content }) => content.length === 0);
  if (index === -1) return undefined;
  const optional = index === request.messages.length - 1 && request.messages[index]?.role === 'assistant';
  if (optional) return undefined;
  return invalidRequest(
    `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
  );
}

const ROLES: Readonly<Record<ContentBlock['type'], readonly MergedTurn['role'][]>> = {
  text: ['user', 'assistant', 'system'],
  image: ['user'],
  // The rule of the version decides on a document in an assistant message.
  document: ['user', 'assistant'],
  compaction: ['assistant'],
  thinking: ['assistant'],
  redacted_thinking: ['assistant'],
  tool_use: ['assistant'],
  tool_result: ['user'],
  server_tool_use: ['assistant'],
  web_search_tool_result: ['assistant'],
};

function blockInItsRole({ turns }: Submission): ApiError | undefined {
  for (const { role, blocks } of turns) {
    const wrong = blocks.find(({ block }) => !ROLES[block.type].includes(role));
    if (wrong !== undefined)
      return invalidRequest(`${wrong.at}: \`${wrong.block.type}\` blocks are not allowed in ${role} messages`);
  }
  return undefined;
}

function textNotBlank({ request, turns }: Submission): ApiError | undefined {
  const system = typeof request.system === 'object' ? request.system : [];
  const parts = [
    ...system.map((block, index) => ({ at: `system.${index}`, block })),
    ...turns.flatMap(({ blocks }) => blocks).flatMap(withNested),
  ];
  for (const { at, block } of parts) {
    if (block.type !== 'text' || block.text.trim() !== '') continue;
    const what = block.text === '' ? 'be non-empty' : 'contain non-whitespace text';
    return invalidRequest(`${at}: text content blocks must ${what}`);
  }
  return undefined;
}

function withNested({ at, block }: IndexedBlock): IndexedBlock[] {
  const nested = block.type === 'tool_result' && typeof block.content === 'object' ? block.content : [];
  return [{ at, block }, ...nested.map((inner, index) => ({ at: `${at}.content.${index}`, block: inner }))];
}

/** A conversation to be compacted may end with an answer, because nothing is sampled after it; so may a paused turn. */
function noPrefill(submission: Submission): ApiError | undefined {
  const { turns, model } = submission;
  if (
    turns.at(-1)?.role !== 'assistant' ||
    model.prefill ||
    asksFor(submission) ||
    listOpenServerCalls(turns.at(-1)).length > 0
  )
    return undefined;
  return invalidRequest(
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

function prefillNotTrailingSpace({ turns }: Submission): ApiError | undefined {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.blocks.at(-1)?.block : undefined;
  if (block?.type === 'text' && /\s$/.test(block.text))
    return invalidRequest('messages: final assistant content cannot end with trailing whitespace');
  return undefined;
}

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
  if (stripped === undefined) return undefined;
  return invalidRequest(
    `${stripped.at}.content.0: the \`thinking\` block of this message was left out while ${first.at} was kept. ` +
      'Send back all `thinking` blocks, or none.',
  );
}

function prefixUnchanged({ thoughts, onMismatch }: Submission): ApiError | undefined {
  const moved = thoughts.find(({ verdict }) => verdict === 'moved');
  if (moved === undefined || onMismatch !== 'error') return undefined;
  return invalidRequest(
    `${moved.at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. ` +
      'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  );
}

/** With manual thinking, the assistant message that the newest tool results answer must begin with thinking. */
function opensWithEnabled({ request, turns }: Submission): ApiError | undefined {
  if (request.thinking?.type !== 'enabled') return undefined;
  const latest = turns.slice(lastUserTurn(turns) + 1).findLast(({ role }) => role === 'assistant');
  const first = latest?.blocks[0];
  if (first === undefined || first.block.type.endsWith('thinking')) return undefined;
  return invalidRequest(
    `${first.at}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\``,
  );
}

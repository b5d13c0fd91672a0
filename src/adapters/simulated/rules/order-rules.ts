/** Rules for the order of roles, the content of each message, and thinking (docs/internals/api-rules.md §2.1, §2.2, §2.5). */
import { asksFor } from './compaction-rules.ts';
import { listOpenServerCalls } from './pair-rules.ts';
import { type Submission, isThinking } from '../request/submission.ts';
import { listNestedBlocks, type MergedTurn, lastUserTurn, type ContentBlock } from '../request/shape.ts';
import type { Rules } from '../request/refusal.ts';
import { cameWithThinking } from '../request/thinking-signature.ts';

const MAX_MESSAGES = 100_000;

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

export const ORDER_RULES: Rules<Submission> = {
  messages_present: ({ request: { messages } }) => {
    if (messages.length === 0) return 'messages: at least one message is required';
    const isTooMuch = messages.length > MAX_MESSAGES;
    return isTooMuch && `messages: at most ${MAX_MESSAGES} messages are allowed, found ${messages.length}`;
  },

  /** An assistant message may come first only as a compaction. */
  first_is_user: ({ turns: [first] }) =>
    first?.role !== 'user' &&
    first?.blocks[0]?.block.type !== 'compaction' &&
    'messages.0: the first message must be a user message',

  system_role_supported: ({ turns, model }) => {
    const found = turns.find(({ role }) => role === 'system');
    return !model.systemMessages && found && `${found.at}: role 'system' is not supported on this model`;
  },

  /** Allowed after a user turn, last or before an assistant turn, so that it never parts a tool_use from its result. */
  system_place: ({ turns }) => {
    const wrong = turns.find(
      ({ role }, index) =>
        role === 'system' &&
        (turns[index - 1]?.role !== 'user' || (turns[index + 1]?.role ?? 'assistant') !== 'assistant'),
    );
    return (
      wrong && `${wrong.at}: a system message must follow a user message, and be last or before an assistant message`
    );
  },

  content_present: ({ request: { messages } }) => {
    const index = messages.findIndex(({ content }) => content.length === 0);
    const isOptional = index === messages.length - 1 && messages[index]?.role === 'assistant';
    if (index === -1 || isOptional) return undefined;
    return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
  },

  block_in_its_role: ({ turns }) => {
    for (const { role, blocks } of turns) {
      const wrong = blocks.find(({ block }) => !ROLES[block.type].includes(role));
      if (wrong !== undefined) return `${wrong.at}: \`${wrong.block.type}\` blocks are not allowed in ${role} messages`;
    }
    return undefined;
  },

  text_not_blank: ({ request, turns }) => {
    const system = typeof request.system === 'object' ? request.system : [];
    const parts = [
      ...system.map((block, index) => ({ at: `system.${index}`, block })),
      ...turns.flatMap(({ blocks }) => blocks).flatMap(listNestedBlocks),
    ];
    for (const { at, block } of parts) {
      if (block.type !== 'text' || block.text.trim() !== '') continue;
      const what = block.text === '' ? 'be non-empty' : 'contain non-whitespace text';
      return `${at}: text content blocks must ${what}`;
    }
    return undefined;
  },

  /** A conversation to be compacted may end with an answer, because nothing is sampled after it; so may a paused turn. */
  no_prefill: (submission) =>
    submission.turns.at(-1)?.role === 'assistant' &&
    !submission.model.prefill &&
    !asksFor(submission) &&
    listOpenServerCalls(submission.turns.at(-1)).length === 0 &&
    'This model does not support assistant message prefill. The conversation must end with a user message.',

  prefill_not_trailing_space: ({ turns }) => {
    const last = turns.at(-1);
    const block = last?.role === 'assistant' ? last.blocks.at(-1)?.block : undefined;
    const isTrailing = block?.type === 'text' && /\s$/.test(block.text);
    return isTrailing && 'messages: final assistant content cannot end with trailing whitespace';
  },
};

export const THINKING_RULES: Rules<Submission> = {
  thinking_as_signed: ({ turns, thoughts }) => {
    const forged = thoughts.find(({ verdict }) => verdict === 'forged');
    if (forged === undefined) return undefined;
    if (forged.turn > lastUserTurn(turns)) return describeModified(forged.at);
    return `${forged.at}: Invalid \`${forged.type === 'thinking' ? 'signature' : 'data'}\` in \`${forged.type}\` block`;
  },

  /** No thinking may be missing after the last real user text, not even all of it. */
  thinking_kept_in_open_loop: (submission) => {
    const { turns, model } = submission;
    const stripped = turns.slice(lastUserTurn(turns) + 1).find((turn) => lacksThinking(turn, model.id));
    return isThinking(submission) && stripped && describeModified(`${stripped.at}.content.0`);
  },

  /** Newer thinking depends on older: when some is retained, all later thinking must be retained too. */
  thinking_all_or_none: ({ turns, thoughts, model, onMismatch }) => {
    if (!model.thinking.bound || onMismatch !== 'error') return undefined;
    const first = thoughts.find(({ verdict }) => verdict !== 'other_model');
    const stripped = first && turns.find((turn, index) => index > first.turn && lacksThinking(turn, model.id));
    return (
      stripped &&
      `${stripped.at}.content.0: the \`thinking\` block of this message was left out while ${first.at} was kept. ` +
        'Send back all `thinking` blocks, or none.'
    );
  },

  thinking_prefix: ({ thoughts, onMismatch }) => {
    const moved = thoughts.find(({ verdict }) => verdict === 'moved');
    if (moved === undefined || onMismatch !== 'error') return undefined;
    return (
      `${moved.at}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. ` +
      'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    );
  },

  /** With manual thinking, the assistant message that the newest tool results answer must begin with thinking. */
  thinking_opens_with_enabled: ({ request, turns }) => {
    if (request.thinking?.type !== 'enabled') return undefined;
    const latest = turns.slice(lastUserTurn(turns) + 1).findLast(({ role }) => role === 'assistant');
    const first = latest?.blocks[0];
    if (first === undefined || first.block.type.endsWith('thinking')) return undefined;
    return `${first.at}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\``;
  },
};

function describeModified(at: string): string {
  return (
    `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
    'These blocks must remain as they were in the original response.'
  );
}

function lacksThinking(turn: MergedTurn, model: string): boolean {
  const call = turn.blocks.findIndex(({ block }) => block.type === 'tool_use' && cameWithThinking(block.id, model));
  return call !== -1 && !turn.blocks.slice(0, call).some(({ block }) => block.type.endsWith('thinking'));
}

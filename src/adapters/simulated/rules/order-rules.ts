/** Rules for the order of roles, and for the content of each message (docs/internals/api-rules.md §2.1 and §2.2). */
import { asksFor } from './compaction-rules.ts';
import { listOpenServerCalls } from './server-tool-rules.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import type { ContentBlock } from '../request/shape.ts';
import type { Submission } from '../request/submission.ts';
import type { IndexedBlock, MergedTurn } from '../request/turns.ts';

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
  return request.messages.length > MAX_MESSAGES
    ? invalidRequest(`messages: at most ${MAX_MESSAGES} messages are allowed, found ${request.messages.length}`)
    : undefined;
}

/** An assistant message may come first only as a compaction. */
function firstIsUser({ turns }: Submission): ApiError | undefined {
  const first = turns[0];
  return first?.role === 'user' || first?.blocks[0]?.block.type === 'compaction'
    ? undefined
    : invalidRequest(`messages.0: the first message must be a user message`);
}

function systemRoleSupported({ turns, model }: Submission): ApiError | undefined {
  const found = turns.find(({ role }) => role === 'system');
  return found === undefined || model.systemMessages
    ? undefined
    : invalidRequest(`${found.at}: role 'system' is not supported on this model`);
}

/** Allowed after a user turn, last or before an assistant turn, so that it never parts a tool_use from its result. */
function systemPlace({ turns }: Submission): ApiError | undefined {
  const wrong = turns.find(
    ({ role }, index) =>
      role === 'system' &&
      (turns[index - 1]?.role !== 'user' || (turns[index + 1]?.role ?? 'assistant') !== 'assistant'),
  );
  return wrong === undefined
    ? undefined
    : invalidRequest(
        `${wrong.at}: a system message must follow a user message, and be last or before an assistant message`,
      );
}

function contentPresent({ request }: Submission): ApiError | undefined {
  const index = request.messages.findIndex(({ content }) => content.length === 0);
  if (index === -1) return undefined;
  const optional = index === request.messages.length - 1 && request.messages[index]?.role === 'assistant';
  return optional
    ? undefined
    : invalidRequest(
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
  return turns.at(-1)?.role !== 'assistant' ||
    model.prefill ||
    asksFor(submission) ||
    listOpenServerCalls(turns.at(-1)).length > 0
    ? undefined
    : invalidRequest(
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      );
}

function prefillNotTrailingSpace({ turns }: Submission): ApiError | undefined {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.blocks.at(-1)?.block : undefined;
  return block?.type === 'text' && /\s$/.test(block.text)
    ? invalidRequest('messages: final assistant content cannot end with trailing whitespace')
    : undefined;
}

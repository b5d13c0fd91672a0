/** Fields of blocks that this endpoint refuses, such as those of the one that wrote the conversation before. */
import type Anthropic from '@anthropic-ai/sdk';
import type { ModelRequest, OutgoingMessage } from '../../ports/model.ts';
import { describeRefusedFields, findRefusedFields, omitFields } from '../../transcript/vendor-fields.ts';
import { FailedTry } from './retry.ts';

/** A refusal that names such a field is tried again without it: what is refused costs nothing. Any other error stays as it is. */
export function learnRefusedFields(error: unknown, { messages }: ModelRequest, refused: Set<string>): never {
  const { failure } = error instanceof FailedTry ? error : {};
  if (failure?.error.details['means'] !== 'bug') throw error;
  const names = findRefusedFields(messages.map(toMessageParam), failure.error.message);
  if (names.length === 0) throw error;
  for (const name of names) refused.add(name);
  throw new FailedTry({ ...failure, again: true, waitMs: 0, reason: describeRefusedFields(names) });
}

export function withoutFields(request: ModelRequest, names: ReadonlySet<string>): ModelRequest {
  if (names.size === 0) return request;
  const omit = (block: OutgoingMessage['content'][number]) =>
    block.type === 'unknown' ? { ...block, wire: omitFields(block.wire, names, 1) } : omitFields(block, names, 1);
  return { ...request, messages: request.messages.map(({ role, content }) => ({ role, content: content.map(omit) })) };
}

/** Our blocks are spelled as on the wire; a block of an unknown kind is returned unchanged. */
export function toMessageParam({ role, content }: OutgoingMessage): Anthropic.MessageParam {
  const blocks = content.map((block) => (block.type === 'unknown' ? block.wire : block));
  return { role, content: blocks } as Anthropic.MessageParam;
}

/**
 * Signs the block of the API's own compaction, with the state of the conversation that it represents (docs/internals/api-rules.md
 * §5.4).
 */
import { z } from 'zod';
import type { ContentBlock } from './shape.ts';
import { computeMac } from './thinking-signature.ts';
import { parseJson } from '../../../parse-json.ts';

export type SealedCompactionBlock = Extract<ContentBlock, { type: 'compaction' }>;

/** Fixed, like the key for thinking, so that a restarted server still recognises its own blocks. */
const KEY = 'tandem-simulator-compaction';

/** The state that retained messages are bound to, as if all summarised messages were still there. */
const State = z.strictObject({
  /** The digest of the system prompt and tools, and of all summarised messages. */
  head: z.string(),
  prefix: z.string(),
  /** The role of the last summarised message; the retained part must begin with the other one. */
  lastRole: z.string(),
});
export type CompactionState = z.infer<typeof State>;

export function sealCompaction(
  content: string,
  state: CompactionState,
): Required<Omit<SealedCompactionBlock, 'cache_control'>> {
  const encrypted = Buffer.from(JSON.stringify(state)).toString('base64');
  return {
    type: 'compaction',
    content,
    encrypted_content: encrypted,
    signature: `${computeMac(['state', encrypted], KEY)}.${computeMac(['content', content, encrypted], KEY)}`,
    tool_changes: [],
  };
}

export type SealVerdict =
  | { fault: 'signature_invalid' | 'content_mismatch' | 'tool_changes_mismatch' }
  | { state: CompactionState };

/** Names the part that was changed, as the API does: clients may read the text, but not change it. */
export function judgeCompaction({
  content,
  encrypted_content: encrypted,
  signature,
  tool_changes: changes,
}: SealedCompactionBlock): SealVerdict {
  const [ofState, ofContent] = (signature ?? '').split('.');
  const state = State.safeParse(parseJson(Buffer.from(encrypted ?? '', 'base64').toString('utf8'))).data;
  if (state === undefined || ofState !== computeMac(['state', encrypted], KEY)) return { fault: 'signature_invalid' };
  if (ofContent !== computeMac(['content', content, encrypted], KEY)) return { fault: 'content_mismatch' };
  if ((changes ?? undefined) === undefined || changes?.length !== 0) return { fault: 'tool_changes_mismatch' };
  return { state };
}

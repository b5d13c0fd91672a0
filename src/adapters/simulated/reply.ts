/**
 * A whole response: the blocks that the answer makes, why it stopped, and what it used (docs/api-rules.md §2.8 and §4).
 */
import type { ScriptedReply } from './scripts/find-reply.ts';
import type { InputUsage } from './cache.ts';
import { type BlockDraft, cutDrafts, cutAtSequence, draftBlocks, draftTokens } from './block-draft.ts';
import { link } from './request/canonical.ts';
import type { sealCompaction } from './request/compaction-signature.ts';
import { BINDING_BETA } from './rules/model-rules.ts';
import type { FaultKind } from './scripts/script.ts';
import { signThinking, toolUseId } from './request/thinking-signature.ts';
import { type Submission, isDropped } from './request/submission.ts';

export type ReplyBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string; citations: null }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown>; caller: { type: 'direct' } }
  | ReturnType<typeof sealCompaction>;

export type StopDetails = { stop_reason: string; stop_sequence: string | null; stop_details: unknown };

export type Reply = {
  id: string;
  model: string;
  /** `json` is the input of a tool_use as it is streamed: cut off when the output was. */
  content: { block: ReplyBlock; json?: string }[];
  stop: StopDetails;
  usage: InputUsage & {
    output_tokens: number;
    output_tokens_details: { thinking_tokens: number } | null;
    /** Only of a compaction, which is in no total. */
    iterations?: (InputUsage & { type: 'compaction'; output_tokens: number })[];
  };
  /** Only with the beta that reports them. */
  transformations?: { type: 'thinking_dropped'; path: string; reason: string }[];
};

type Circumstances = { input: InputUsage; fault?: FaultKind | undefined };

export function buildReply(submission: Submission, answer: ScriptedReply, of: Circumstances): Reply {
  const { model, prefixes } = submission;
  const { drafts, stop } = settle(submission, answer, of);
  const thinking = draftTokens(
    drafts.filter(({ type }) => type === 'thinking'),
    model.tokenFactor,
  );
  return {
    id: `msg_${link(prefixes.end, ['message', model.id]).slice(0, 24)}`,
    model: model.id,
    content: sealDrafts(submission, drafts),
    stop,
    usage: {
      ...of.input,
      output_tokens: draftTokens(drafts, model.tokenFactor),
      output_tokens_details: thinking === 0 ? null : { thinking_tokens: thinking },
    },
    ...transformationsOf(submission),
  };
}

function stopFor(reason: string, more: Partial<StopDetails> = {}): StopDetails {
  return { stop_reason: reason, stop_sequence: null, stop_details: null, ...more };
}

/** Which blocks come out, and why no more do. */
function settle(
  submission: Submission,
  answer: ScriptedReply,
  { input, fault }: Circumstances,
): { drafts: BlockDraft[]; stop: StopDetails } {
  const { request, model } = submission;
  if (fault === 'empty') return { drafts: [], stop: stopFor('end_turn') };
  if (fault === 'refusal') {
    const details = { type: 'refusal', category: null, explanation: 'Simulated refusal.' };
    return { drafts: [], stop: stopFor('refusal', { stop_details: details }) };
  }
  const factor = model.tokenFactor;
  const stopped = cutAtSequence(draftBlocks(submission, answer), request.stop_sequences ?? []);
  const tokens = draftTokens(stopped.drafts, factor);
  const last = draftTokens(stopped.drafts.slice(-1), factor);
  const limit =
    fault === 'max_tokens' ? Math.min(request.max_tokens, tokens - Math.ceil(last / 2)) : request.max_tokens;
  const room = model.window - input.input_tokens - input.cache_read_input_tokens - input.cache_creation_input_tokens;
  if (tokens > Math.min(limit, room)) {
    const reason = limit <= room ? 'max_tokens' : 'model_context_window_exceeded';
    return { drafts: cutDrafts(stopped.drafts, Math.min(limit, room), factor), stop: stopFor(reason) };
  }
  if (stopped.sequence !== undefined) {
    return { drafts: stopped.drafts, stop: stopFor('stop_sequence', { stop_sequence: stopped.sequence }) };
  }
  return { drafts: stopped.drafts, stop: stopFor(answer.calls.length > 0 ? 'tool_use' : 'end_turn') };
}

/** Thinking is signed, calls get their ids: both say in what conversation they were made. */
function sealDrafts({ model, prefixes, request }: Submission, drafts: readonly BlockDraft[]): Reply['content'] {
  const thought = drafts.some(({ type }) => type === 'thinking');
  const display =
    request.thinking !== undefined && 'display' in request.thinking ? request.thinking.display : undefined;
  const omitted = (display ?? (model.thinking.omitted ? 'omitted' : 'summarized')) === 'omitted';
  return drafts.map((draft, index) => {
    if (draft.type === 'text') return { block: { type: 'text', text: draft.text, citations: null } };
    if (draft.type === 'thinking') {
      const shown = omitted ? '' : draft.text;
      const tokens = draftTokens([draft], model.tokenFactor);
      const signature = signThinking({ model: model.id, tokens, thinking: shown, prefix: prefixes.end });
      return { block: { type: 'thinking', thinking: shown, signature } };
    }
    const id = toolUseId({ prefix: prefixes.end, index, model: model.id, thought });
    const { name, input, json } = draft;
    return { block: { type: 'tool_use', id, name, input, caller: { type: 'direct' } }, json };
  });
}

function transformationsOf({ betas, thoughts, onMismatch }: Submission): Pick<Reply, 'transformations'> {
  if (!betas.has(BINDING_BETA)) return {};
  const dropped = thoughts.filter((thought) => isDropped(thought, onMismatch));
  return {
    transformations: dropped.map(({ at, verdict }) => ({
      type: 'thinking_dropped',
      path: at,
      reason: verdict === 'moved' ? 'prefix_binding_mismatch' : 'model_binding_mismatch',
    })),
  };
}

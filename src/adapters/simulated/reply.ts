/** Builds a whole response: its blocks, its stop reason, and its usage (docs/internals/api-rules.md §2.8 and §4). */
import type { ScriptedReply } from './scripts/find-reply.ts';
import type { InputUsage } from './cache.ts';
import { canonicalBlock, chainDigest } from './request/parts.ts';
import type { sealCompaction } from './request/compaction-signature.ts';
import { BINDING_BETA } from './rules/model-rules.ts';
import { listOpenServerCalls } from './rules/pair-rules.ts';
import type { FaultKind } from './scripts/script.ts';
import { signThinking, toolUseId } from './request/thinking-signature.ts';
import { type Submission, isDropped, isThinking } from './request/submission.ts';
import { textTokens } from './request/tokens.ts';

export type ReplyBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string; citations: null }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown>; caller: { type: 'direct' } }
  | { type: 'server_tool_use'; id: string; name: 'web_search'; input: Record<string, unknown> }
  | { type: 'web_search_tool_result'; tool_use_id: string; content: { type: string; [field: string]: string }[] }
  | ReturnType<typeof sealCompaction>;

export type StopDetails = { stop_reason: string; stop_sequence: string | null; stop_details: unknown };

export type Reply = {
  id: string;
  model: string;
  /** `json` is the streamed input of a tool_use, incomplete when the output was cut. */
  content: { block: ReplyBlock; json?: string }[];
  stop: StopDetails;
  usage: InputUsage & {
    output_tokens: number;
    output_tokens_details: { thinking_tokens: number } | null;
    server_tool_use: { web_search_requests: number } | null;
    /** Present for a compaction alone, which counts in no total. */
    iterations?: (InputUsage & { type: 'compaction'; output_tokens: number })[];
  };
  /** Present only with the beta that reports them. */
  transformations?: { type: 'thinking_dropped'; path: string; reason: string }[];
};

type Circumstances = { input: InputUsage; fault?: FaultKind | undefined };

export function buildReply(submission: Submission, answer: ScriptedReply, of: Circumstances): Reply {
  const { model, prefixes } = submission;
  const { drafts, stop } = draftReply(submission, answer, of);
  const thoughts = drafts.filter(({ type }) => type === 'thinking');
  const thinking = sumDraftTokens(thoughts, model.tokenFactor);
  return {
    id: `msg_${chainDigest(prefixes.end, ['message', model.id]).slice(0, 24)}`,
    model: model.id,
    content: sealDrafts(submission, drafts),
    stop,
    usage: {
      ...of.input,
      output_tokens: sumDraftTokens(drafts, model.tokenFactor),
      output_tokens_details: thinking === 0 ? null : { thinking_tokens: thinking },
      server_tool_use: stop.stop_reason === 'pause_turn' ? { web_search_requests: 1 } : null,
    },
    ...reportDropped(submission),
  };
}

const SEARCH = { query: 'how others do it' };
const PAUSED: BlockDraft[] = [
  { type: 'text', text: 'This needs a look at the web.' },
  { type: 'server_tool_use', name: 'web_search', input: SEARCH, json: JSON.stringify(SEARCH) },
];

/** The results of the calls that a paused answer ends with: they open the rest of it. */
function finishServerCalls({ turns }: Submission) {
  const content = [{ type: 'web_search_result', title: 'Others', url: 'https://example.com/', encrypted_content: 'x' }];
  return listOpenServerCalls(turns.at(-1)).map(({ id }) => ({
    ...{ type: 'web_search_tool_result' as const, tool_use_id: id, content },
  }));
}

function stopFor(reason: string, more: Partial<StopDetails> = {}): StopDetails {
  return { stop_reason: reason, stop_sequence: null, stop_details: null, ...more };
}

/** Decides which blocks are produced, and why the output stops. */
function draftReply(
  submission: Submission,
  answer: ScriptedReply,
  { input, fault }: Circumstances,
): { drafts: BlockDraft[]; stop: StopDetails } {
  const { request, model } = submission;
  if (fault === 'pause_turn') return { drafts: PAUSED, stop: stopFor('pause_turn') };
  if (fault === 'empty') return { drafts: [], stop: stopFor('end_turn') };
  if (fault === 'refusal') {
    const details = { type: 'refusal', category: null, explanation: 'Simulated refusal.' };
    return { drafts: [], stop: stopFor('refusal', { stop_details: details }) };
  }
  const factor = model.tokenFactor;
  const stopped = cutAtSequence(draftBlocks(submission, answer), request.stop_sequences ?? []);
  const tokens = sumDraftTokens(stopped.drafts, factor);
  const last = sumDraftTokens(stopped.drafts.slice(-1), factor);
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

/** Signs thinking and gives ids to calls; both encode the conversation in which they were made. */
function sealDrafts(submission: Submission, drafts: readonly BlockDraft[]): Reply['content'] {
  const { model, prefixes, request } = submission;
  const thought = drafts.some(({ type }) => type === 'thinking');
  const display =
    request.thinking !== undefined && 'display' in request.thinking ? request.thinking.display : undefined;
  const omitted = (display ?? (model.thinking.omitted ? 'omitted' : 'summarized')) === 'omitted';
  const results = finishServerCalls(submission);
  const prefix = results.reduce((digest, block) => chainDigest(digest, canonicalBlock(block)), prefixes.end);
  const made = drafts.map((draft, index): Reply['content'][number] => {
    if (draft.type === 'text') return { block: { type: 'text', text: draft.text, citations: null } };
    if (draft.type === 'thinking') {
      const shown = omitted ? '' : draft.text;
      const tokens = sumDraftTokens([draft], model.tokenFactor);
      const signature = signThinking({ model: model.id, tokens, thinking: shown, prefix });
      return { block: { type: 'thinking', thinking: shown, signature } };
    }
    const { name, input, json } = draft;
    if (draft.type === 'server_tool_use') {
      const id = `srvtoolu_${chainDigest(prefix, index).slice(0, 24)}`;
      return { block: { type: 'server_tool_use', id, name: 'web_search', input }, json };
    }
    const id = toolUseId({ prefix, index, model: model.id, thought });
    return { block: { type: 'tool_use', id, name, input, caller: { type: 'direct' } }, json };
  });
  return [...results.map((block) => ({ block })), ...made];
}

function reportDropped({ betas, thoughts, onMismatch }: Submission): Pick<Reply, 'transformations'> {
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

/** A block that the model is about to output, before it is signed; the output may be cut within it. */
type BlockDraft =
  | { type: 'thinking'; text: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use' | 'server_tool_use'; name: string; input: Record<string, unknown>; json: string };

/** Opens every message with manual thinking; adaptive thinking comes where the script has it. */
const MANUAL_THOUGHT = 'The next step is clear.';

function draftBlocks(submission: Submission, { think, say, calls }: ScriptedReply): BlockDraft[] {
  const thought = thoughtFor(submission, think);
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking' as const, text: thought }]),
    ...(say === undefined ? [] : [{ type: 'text' as const, text: say }]),
    ...calls.map(({ name, input }) => ({ type: 'tool_use' as const, name, input, json: JSON.stringify(input) })),
  ];
}

function thoughtFor(submission: Submission, think: string | undefined): string | undefined {
  const type = submission.request.thinking?.type;
  if (type === 'enabled') return think ?? MANUAL_THOUGHT;
  // Text between tool calls comes back as thinking, although thinking is off.
  if (type === 'between_tools') {
    const answersTools = submission.turns.at(-1)?.blocks.some(({ block }) => block.type === 'tool_result') ?? false;
    return answersTools ? think : undefined;
  }
  return isThinking(submission) ? think : undefined;
}

function sumDraftTokens(drafts: readonly BlockDraft[], factor: number): number {
  return drafts.reduce((sum, draft) => sum + countDraftTokens(draft, factor), 0);
}

function countDraftTokens(draft: BlockDraft, factor: number): number {
  const text = 'json' in draft ? draft.name + draft.json : draft.text;
  return Math.ceil(textTokens(text, factor));
}

/** Ends the output before the first stop sequence in visible text. */
function cutAtSequence(
  drafts: BlockDraft[],
  sequences: readonly string[],
): { drafts: BlockDraft[]; sequence?: string } {
  for (const [index, draft] of drafts.entries()) {
    if (draft.type !== 'text') continue;
    const found = sequences
      .map((sequence) => ({ sequence, at: draft.text.indexOf(sequence) }))
      .filter(({ at }) => at !== -1)
      .toSorted((a, b) => a.at - b.at)[0];
    if (found === undefined) continue;
    const head: BlockDraft[] = found.at === 0 ? [] : [{ type: 'text', text: draft.text.slice(0, found.at) }];
    return { drafts: [...drafts.slice(0, index), ...head], sequence: found.sequence };
  }
  return { drafts };
}

/** Keeps whole blocks as long as they fit, then a piece of the next: a tool's input may end in mid-word. */
export function cutDrafts(drafts: readonly BlockDraft[], budget: number, factor: number): BlockDraft[] {
  const whole: BlockDraft[] = [];
  let left = budget;
  for (const draft of drafts) {
    const tokens = countDraftTokens(draft, factor);
    if (tokens <= left) {
      whole.push(draft);
      left -= tokens;
      continue;
    }
    return [...whole, ...cutDraft(draft, left / tokens)];
  }
  return whole;
}

function cutDraft(draft: BlockDraft, share: number): BlockDraft[] {
  const whole = 'json' in draft ? draft.json : draft.text;
  // A surrogate pair is one character, and half of it would not be text.
  const piece = whole.slice(0, Math.floor(whole.length * share)).replace(/[\ud800-\udbff]$/, '');
  if (piece.trim() === '') return [];
  return ['json' in draft ? { ...draft, input: {}, json: piece } : { ...draft, text: piece }];
}

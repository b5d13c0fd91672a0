/** The call for a summary: the live request with one user message more, so that it reads the cache (S0.7). */
import { fillTemplate } from '../../transcript/fill-template.ts';
import { createUserMessage, type Message, getText, type Block, type ToolUseBlock } from '../../transcript/message.ts';
import { estimateMessages, estimateText, takeHeadByTokens, takeTailByTokens } from '../../transcript/tokens.ts';
import type { MessageEntry } from '../../transcript/entry.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import { toSnapshot, type ContextSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import { fieldsOf, type Core } from '../core.ts';
import type { Policy } from '../policy.ts';
import type { Cut, CutContext } from '../plan/compaction-cut.ts';
import { shortenMessage } from '../view/shortened-message.ts';
import { emptyDraft } from '../passes/cut-draft.ts';
import { shortenLongResults } from '../passes/shorten-long-results.ts';
import { oneLine, wrapLines, underCap } from '../fact-tags.ts';
import { describeFields } from './summary.ts';

export type SummaryRequest = {
  /** With the same system prompt, tools and thinking as any other call. */
  messages: Message[];
  /** The output cap of this call; thinking counts (S0.8). */
  maxTokens: number;
  /** `shortened`: the live request would not have fitted the window, so long results were shortened, cache or not. */
  shape: 'live' | 'shortened';
  /** For `findFault`: messages before this index were rewritten. */
  rewrittenThrough: number;
};

/**
 * Contract: undefined when not even the shortened request fits the window, or when the cut has no summary to request: then
 * only `fallback` is left. `fault` is the detail of the last refusal, when this is a repair (S0.12).
 */
// oxlint-disable-next-line max-params -- a public signature
export function summaryRequest(
  transcript: EntriesOrSnapshot,
  core: Core,
  cut: Cut,
  fault?: string,
): SummaryRequest | undefined {
  if (cut.by === 'code') return undefined;
  const snapshot = toSnapshot(transcript);
  const { pressure } = cut;
  const context = { snapshot, core, cut };
  const request = requestText(context, { fault, index: entryIndex(leavingEntries(context), core.policy.facts.index) });
  const maxTokens = core.policy.summary.maxOutputTokens;
  const room = core.budget.window - maxTokens - Math.ceil(estimateText(request) * pressure.ratio);
  const { projector, rewrittenThrough } = snapshot.projection;
  const messages = projector.shown.map(({ message }) => message);
  const suffix = createUserMessage(request);
  if (pressure.total <= room) return { messages: [...messages, suffix], maxTokens, shape: 'live', rewrittenThrough };
  const shortened = shortenAll(snapshot, core.policy);
  const smaller = messages.map((message) => shortenMessage(message, shortened));
  if ((pressure.floor + estimateMessages(smaller)) * pressure.ratio > room) return undefined;
  return { messages: [...smaller, suffix], maxTokens, shape: 'shortened', rewrittenThrough: smaller.length };
}

/** The request for the summary: its fields, the facts that need not be repeated, and the fault of the last answer. */
export function requestText(
  { snapshot, core, cut }: CutContext,
  { fault, index = [] }: { fault?: string | undefined; index?: readonly string[] } = {},
): string {
  const { policy, prompts } = core;
  const facts = [snapshot.facts(policy, cut.occasion.openGate).text, ...index].join('\n');
  const parts = [fillTemplate(prompts.request, { fields: describeFields(fieldsOf(core)), facts })];
  const archived = policy.summary.archive !== undefined && snapshot.projection.compaction !== undefined;
  if (archived && cut.archives.length === 0 && prompts.merge !== undefined) parts.push(fillTemplate(prompts.merge, {}));
  if (fault !== undefined) parts.push(fillTemplate(prompts.repair, { fault }));
  return parts.join('\n\n');
}

/** The live entries that a cut takes out of the view. */
export function leavingEntries({ snapshot, cut: { coversThrough, named } }: CutContext): MessageEntry[] {
  const { live } = snapshot.projection;
  const end = live.findIndex(({ id }) => id === coversThrough);
  const gone = new Set(named);
  return live.filter(({ id }, place) => place <= end || gone.has(id));
}

function shortenAll({ units }: ContextSnapshot, policy: Policy): Record<string, string> {
  let shortened: Record<string, string> = {};
  const spec = { pass: 'shorten-long-results' as const };
  const context = { units, policy, messages: 0, pinned: new Set<string>(), spec };
  for (const { draft } of shortenLongResults(emptyDraft(), context)) shortened = draft.shortened;
  return shortened;
}

const LINE_TOKENS = 48;
/** The end of a long path distinguishes it from others. */
const SUBJECT_TOKENS = 20;
/** Results that would get fewer tokens than this are only counted. */
const LEAST_TOKENS = 12;
/** Inputs that say what a call is about, the most informative first. */
const SUBJECTS = ['file_path', 'path', 'pattern', 'query', 'command', 'task', 'id', 'name'];

/**
 * The newest entries when there is no room for all; empty when the policy has no room for it. A call has no line of its own:
 * its result names it.
 */
export function entryIndex(leaving: readonly MessageEntry[], tokens: number): string[] {
  if (tokens === 0) return [];
  const calls = new Map<string, ToolUseBlock>();
  const lines = leaving.flatMap((entry) => {
    for (const block of entry.message.content) if (block.type === 'tool_use') calls.set(block.id, block);
    const text = entryText(entry, calls);
    return text === '' ? [] : [takeHeadByTokens(`[#${entry.id}] ${text}`, LINE_TOKENS)];
  });
  const shown = underCap(lines.toReversed(), { tokens, what: 'older entries', perLine: 1 });
  return wrapLines('entry_index', shown.toReversed());
}

/** Each result of several gets its share of the line. */
function entryText({ origin, message }: MessageEntry, calls: ReadonlyMap<string, ToolUseBlock>): string {
  const results = message.content.filter((block) => block.type === 'tool_result');
  if (results.length === 0) {
    const text = oneLine(getText(message));
    return text === '' ? '' : `${origin === 'model' ? 'assistant' : origin}: ${text}`;
  }
  const most = Math.floor((LINE_TOKENS - 6) / LEAST_TOKENS);
  const shown = results.length <= most ? results : results.slice(0, most - 1);
  const share = Math.floor((LINE_TOKENS - 6) / (results.length <= most ? results.length : most));
  const texts = shown.map((block) => takeHeadByTokens(resultLine(block, calls.get(block.tool_use_id)), share));
  const rest = results.slice(shown.length).map((block) => calls.get(block.tool_use_id)?.name ?? 'result');
  return [...texts, ...formatCounts(rest)].join(' · ');
}

/** Formats a count such as `14 more: write × 13, read`. */
function formatCounts(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const byName = [...Map.groupBy(names, (name) => name)];
  const parts = byName.map(([name, all]) => (all.length === 1 ? name : `${name} × ${all.length}`));
  return [`${names.length} more: ${parts.join(', ')}`];
}

function resultLine(block: Extract<Block, { type: 'tool_result' }>, call: ToolUseBlock | undefined): string {
  const failed = block.is_error === true ? 'error: ' : '';
  return `${call === undefined ? 'result' : callText(call)} -> ${failed}${oneLine(getResultText(block))}`;
}

function callText({ name, input }: ToolUseBlock): string {
  const named = SUBJECTS.flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : []));
  const subject = oneLine(named[0] ?? (Object.keys(input).length === 0 ? '' : JSON.stringify(input)));
  if (subject === '') return name;
  if (estimateText(subject) <= SUBJECT_TOKENS) return `${name} ${subject}`;
  return named[0] !== undefined && [input['file_path'], input['path']].includes(named[0])
    ? `${name} …${takeTailByTokens(subject, SUBJECT_TOKENS)}`
    : `${name} ${takeHeadByTokens(subject, SUBJECT_TOKENS)}…`;
}

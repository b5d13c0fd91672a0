/** Turns an answer into a compaction entry, or names the rule that refuses it; then the old view stays (S0.13). */
import { getText, listToolUses, type Block, type StopReason, type Usage } from '../../transcript/message.ts';
import { estimateText } from '../../transcript/tokens.ts';
import { citedIds, inventedQuote, unknownIds } from './claims.ts';
import { commitCompaction, type Acceptance } from './prove-compaction.ts';
import { toSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import { fieldsOf, type Core } from '../core.ts';
import { compactedRequest } from '../facts/facts.ts';
import { chooseCutAgain } from '../plan/plan.ts';
import { earlierFacts } from './earlier-facts.ts';
import type { Cut, CutContext } from '../plan/compaction-cut.ts';
import { leaveOutProgress } from './current-progress.ts';
import { readSummary, renderSummary, summaryLines } from './summary.ts';
import { fillSummaryTemplate } from './summary-template.ts';

/** The whole answer to a `SummaryRequest`. */
export type Answer = { content: Block[]; stopReason: StopReason; usage: Usage };

// oxlint-disable-next-line max-params -- a public signature
export function acceptSummary(transcript: EntriesOrSnapshot, core: Core, cut: Cut, answer: Answer): Acceptance {
  const fault = answerFault(answer);
  if (fault !== undefined) return fault;
  const read = readSummary(getText(answer), fieldsOf(core));
  if (!read.ok) return refuseSummary('schema', read.detail);
  const context = { snapshot: toSnapshot(transcript), core, cut };
  const { value, current } = leaveOutProgress(context, read.value);
  const text = current === 0 ? read.text : renderSummary(value);
  const summary = fillSummaryTemplate(context, text, value);
  const lines = summaryLines(value);
  const wrong = contentFault(context, summary, lines);
  if (wrong !== undefined) return wrong;
  const earlier = earlierFacts(context, summary, cut.archives);
  const claims = { lines: lines.length, cited: countCitedLines(lines), ...(current > 0 && { current }) };
  const made = { summary, earlier, reason: cut.occasion.reason, usage: answer.usage, claims };
  const again = chooseCutAgain(context, listHeadTexts(context, made));
  if (again === undefined) return commitCompaction(context, made);
  const wider = { ...context, cut: again };
  const accepted = commitCompaction(wider, { ...made, summary: fillSummaryTemplate(wider, text, value) });
  return accepted.ok ? accepted : commitCompaction(context, made);
}

/** All that stands before the retained units of the new view. */
function listHeadTexts(
  { snapshot, core, cut }: CutContext,
  { summary, earlier }: { summary: string; earlier: readonly string[] },
): string[] {
  const { policy, prompts } = core;
  const request = compactedRequest(core, snapshot.facts(policy, cut.occasion.openGate));
  return [request, prompts.bridge, prompts.note, ...cut.archives, summary, ...earlier];
}

/** The API's own summary: one whole, signed block and nothing else. Its text is not checked, because it may be sealed. */
// oxlint-disable-next-line max-params -- a public signature
export function acceptBlock(transcript: EntriesOrSnapshot, core: Core, cut: Cut, answer: Answer): Acceptance {
  const [block, ...more] = answer.content;
  if (answer.stopReason !== 'compaction')
    return refuseSummary(
      `server_${answer.stopReason}`,
      `the API stopped with ${answer.stopReason}, not with its summary`,
    );
  if (block?.type !== 'compaction' || more.length > 0 || block.content.trim() === '')
    return refuseSummary('server_empty', 'the API sent no compaction block with a text');
  const context = { snapshot: toSnapshot(transcript), core, cut };
  const earlier = earlierFacts(context, block.content);
  const { reason } = cut.occasion;
  return commitCompaction(context, { summary: block.content, earlier, reason, usage: answer.usage, block });
}

/** Refuses an answer that calls a tool, was refused or cut off, or holds no text. */
function answerFault(answer: Answer): Acceptance | undefined {
  const [call] = listToolUses(answer);
  if (call !== undefined)
    return refuseSummary('tool_call', `the answer calls ${call.name} where text alone was asked for`);
  if (answer.stopReason !== 'end_turn')
    return refuseSummary(`stop_${answer.stopReason}`, `the answer ended with ${answer.stopReason}`);
  return getText(answer).trim() === '' ? refuseSummary('empty', 'the answer holds no text') : undefined;
}

function contentFault(
  { snapshot: { entries }, core: { policy }, cut: { pressure } }: CutContext,
  text: string,
  lines: readonly string[],
): Acceptance | undefined {
  if (lines.length === 0) return refuseSummary('empty', 'every field of the summary is empty');
  const tokens = Math.ceil(estimateText(text) * pressure.ratio);
  if (tokens > policy.summary.maxTokens)
    return refuseSummary('too_long', `the summary has ${tokens} tokens, at most ${policy.summary.maxTokens} are taken`);
  const [unknown] = unknownIds(text, entries);
  if (unknown !== undefined)
    return refuseSummary('unknown_citation', `the summary cites [#${unknown}], which no entry has`);
  const cited = countCitedLines(lines);
  if (cited < policy.summary.cited * lines.length)
    return refuseSummary('uncited', `only ${cited} of ${lines.length} lines cite an entry, as in [#e12]`);
  const quote = inventedQuote(lines, entries);
  if (quote !== undefined) return refuseSummary('invented_quote', `nobody said "${quote}" in this conversation`);
  return undefined;
}

function countCitedLines(lines: readonly string[]): number {
  return lines.filter((line) => citedIds(line).size > 0).length;
}

function refuseSummary(cause: string, detail: string): Acceptance {
  return { ok: false, cause, detail };
}

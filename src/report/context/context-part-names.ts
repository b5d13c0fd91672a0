/** Names and signs of the parts of a context, the same on terminal and page. */
import type { BlockKind } from '../../context-lab/picture.ts';
import type { ContextChange } from '../../context/index.ts';
import type { ContextHistory, HistoryCompaction, UnansweredCall } from '../../context-lab/history.ts';
import type { PassDecision } from '../../transcript/compaction-receipt.ts';
import { formatCount, formatTokens, formatUsd } from '../text/number-format.ts';
import type { Style } from '../text/terminal-colors.ts';

export const KIND_LABELS: Readonly<Record<BlockKind, { name: string; sign: string; style: Style }>> = {
  facts: { name: 'carried facts', sign: '▓', style: 'good' },
  summary: { name: 'summary', sign: '▒', style: 'design' },
  said: { name: 'said to it', sign: '█', style: 'warn' },
  answer: { name: 'answers', sign: '█', style: 'accent' },
  thinking: { name: 'thinking', sign: '░', style: 'dim' },
  call: { name: 'calls', sign: '▄', style: 'accent' },
  result: { name: 'results', sign: '█', style: 'bold' },
  image: { name: 'images', sign: '▚', style: 'bad' },
};

/** Describes one change of what the model is shown, in a sentence (S2.8). */
export function changeText(change: ContextChange): string {
  switch (change.type) {
    case 'conversation_replaced':
      return `a summary replaces everything through ${change.through}: ${formatTokens(change.tokensBefore)} → ${formatTokens(change.tokensAfter)}`;
    case 'items_removed':
      return `${formatCount(change.items.length, 'entry', 'entries')} behind the cut leave`;
    case 'results_edited':
      return `${formatCount(change.calls.length, 'call')} and their results are shortened`;
    case 'images_pointed':
      return `images of ${formatCount(change.entries.length, 'entry', 'entries')} are pointers from here on`;
    case 'layer_changed':
      return `from here on the part “${change.layer.replaceAll('_', ' ')}” of the system prompt is new`;
    case 'item_added':
      return `${change.item.replaceAll('_', ' ')} is added`;
    case 'summary_refused':
      return `a summary is refused (${change.cause})`;
    default:
      return change satisfies never;
  }
}

/** Describes what one compaction did and cost, in a sentence. */
export function receiptText({ coversThrough, receipt, durationMs }: HistoryCompaction): string {
  const { tokensBefore, tokensAfter, stepsSummarised, stepsKept, usage, cacheTokensLost, reason, claims, costUsd } =
    receipt;
  const gone = tokensBefore > 0 ? ` (−${Math.round((1 - tokensAfter / tokensBefore) * 100)} %)` : '';
  const summaryCall =
    usage === undefined
      ? 'no model was called'
      : `summary call: ${formatTokens(usage.cache_read_input_tokens)} read, ` +
        `${formatTokens(usage.input_tokens + usage.cache_creation_input_tokens)} not cached, ${formatTokens(usage.output_tokens)} out`;
  return [
    `${reason}: ${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)}${gone}`,
    `${formatCount(stepsSummarised, 'step')} summarised${coversThrough === '' ? '' : ` through ${coversThrough}`}, ${stepsKept} kept`,
    summaryCall,
    ...(claims === undefined ? [] : [`${claims.cited} of ${claims.lines} lines cite their entry`]),
    ...(claims?.current === undefined ? [] : [`${claims.current} of current progress left out`]),
    ...(costUsd === undefined ? [] : [formatUsd(costUsd)]),
    ...(durationMs === undefined ? [] : [`took ${(durationMs / 1000).toFixed(1)} s`]),
    ...lossTexts(cacheTokensLost, receipt.economics),
    ...autoTriggerTexts(receipt.auto),
  ].join(' · ');
}

/** Says when the rewrite pays for itself and how long it should hold (docs/internals/compaction-cases.md T28). */
function lossTexts(lost: number, economics: HistoryCompaction['receipt']['economics']): string[] {
  if (economics === undefined) return [`${formatTokens(lost)} cached tokens given up`];
  const { cold, breakEvenCalls, callsExpected } = economics;
  return [
    cold ? 'the cache had expired already' : `${formatTokens(lost)} cached tokens given up`,
    breakEvenCalls === null ? 'never pays back' : `pays back after ${breakEvenCalls} calls`,
    `the next one is expected after ${callsExpected}`,
  ];
}

/** Describes a call without an answer, and what was tried to make it fit. */
export function unansweredText({ id, outcome, error, estimate, goal, decisions }: UnansweredCall): string {
  const was = { under_way: 'under way, or its process died', failed: 'failed', not_sent: 'not sent', answered: '' }[
    outcome
  ];
  const about = estimate === undefined ? '' : `, about ${formatTokens(estimate)}`;
  const aim = goal === undefined || decisions.length === 0 ? '' : ` against ${formatTokens(goal)}`;
  const why = error === undefined ? '' : `: ${error.code}: ${error.message}`;
  return `${id} ${was}${about}${aim}${why}`;
}

/** Describes one attempt of a pass, and why it was not taken. */
export function attemptText(decision: PassDecision): string {
  const { attempt, pass, detail, tokens: size, why, taken } = decision;
  return `${attempt}. ${pass}: ${detail} (${formatTokens(size)})${why === undefined ? '' : `: ${why}`}${taken === true ? ': taken' : ''}`;
}

/** With `trigger: auto`, says how early the compaction came and why. */
function autoTriggerTexts(auto: HistoryCompaction['receipt']['auto']): string[] {
  if (auto === undefined) return [];
  const [trigger, ceiling, growth] = [auto.trigger, auto.ceiling, auto.growth].map(formatTokens);
  const cold = auto.pauses === 0 ? '' : `, a cold cache before ${Math.round(auto.pauses * 100)} % of the calls`;
  return [`trigger auto: ${trigger} of at most ${ceiling} (${growth} a step${cold})`];
}

/** Names the agent's policy with its trigger and target. */
export function policyText({ context, compactions }: ContextHistory): string {
  if (context !== undefined) {
    const { policy, trigger, target } = context;
    return `policy ${policy}: compacts above ${formatTokens(trigger)}, to ${formatTokens(target)} or less`;
  }
  const named = compactions.findLast(({ receipt }) => receipt.policy !== undefined)?.receipt.policy;
  return named === undefined ? 'policy not recorded' : `policy ${named}, its numbers were not recorded`;
}

/** Formats each real change of a run as one plain line, for a log or a CI job instead of a live screen. */
import { formatCount, formatDuration, intervalText, shortDigest, formatTokens } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { changeText } from '../context/context-part-names.ts';
import { layersText } from '../run/layers.ts';
import { passedText } from '../run/run-outcome.ts';
import { clipText, terminalText } from '../text/sanitise.ts';
import type { ProgressEvent } from '../../run/progress-event.ts';
import type { EventOfType } from './progress-view.ts';

/** Below this many samples, the line of the iteration suffices. */
const MANY_SAMPLES = 40;

/** Returns undefined when the event changes nothing worth a line. */
export function renderLine(event: ProgressEvent): string | undefined {
  const line = formatEvent(event);
  return line === undefined ? undefined : terminalText(line);
}

function formatEvent(event: ProgressEvent): string | undefined {
  switch (event.type) {
    case 'run':
      return `run ${event.run} of ${event.scenario}${event.resumed ? ', resumed' : ''}; model endpoint ${event.endpoint}${event.simulated ? ' (SIMULATED)' : ''}`;
    case 'phase':
      return phaseLine(event);
    case 'compaction':
      return compactionLine(event);
    case 'context':
      return contextLine(event);
    case 'step':
      return laneLine(event);
    case 'retry':
      return `retry ${event.attempt} of ${event.what} in ${pauseText(event)}: ${clipText(event.reason, 200)}`;
    case 'wait':
      return `${event.what} waits ${pauseText(event)}: ${clipText(event.reason, 200)}`;
    case 'verified':
      return verifiedLine(event);
    case 'sample':
      return sampleLine(event);
    case 'iteration':
      return iterationLine(event);
    case 'gate':
      return gateLine(event);
    case 'state':
      return `${event.status.replaceAll('_', ' ')}${event.detail === '' ? '' : `: ${clipText(event.detail, 500)}`}`;
    default:
      return undefined;
  }
}

/** True for a sub-agent, which is named `<agent>/<lane>`. */
export function isLane(agent: string): boolean {
  return agent.includes('/');
}

/** Reports the steps of sub-agents only. */
function laneLine({ agent, step, tools }: EventOfType<'step'>): string | undefined {
  if (!isLane(agent)) return undefined;
  return `${agent} step ${step}${tools.length === 0 ? ': answers' : `: ${tools.join(', ')}`}`;
}

/** Adds the end time, so that a person who looks later knows how long the wait still lasts. */
function pauseText({ delayMs, until }: Pick<EventOfType<'wait'>, 'delayMs' | 'until'>): string {
  return until === undefined
    ? formatDuration(delayMs)
    : `${formatDuration(delayMs)} (until ${until.slice(11, 19)} UTC)`;
}

function phaseLine({ phase, round, iteration }: EventOfType<'phase'>): string {
  const lines = {
    design: `r${round}: Init designs`,
    execute: `i${iteration} (r${round}): Execute writes tools, checkers and samples`,
    verify: `i${iteration} (r${round}): components are verified without a model`,
    evaluate: `i${iteration} (r${round}): every sample runs through the subject`,
  };
  return lines[phase];
}

function compactionLine(event: EventOfType<'compaction'>): string | undefined {
  const { agent, outcome, tokensBefore, tokensAfter, detail } = event;
  if (outcome === 'started') return undefined;
  const cause = detail === '' ? '' : `: ${clipText(detail, 200)}`;
  if (outcome === 'refused') return `compaction of ${agent} refused at ${formatTokens(tokensBefore)} tokens${cause}`;
  return `compaction of ${agent}: ${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens${detail === '' ? '' : ` (${clipText(detail, 200)})`}`;
}

/** Reports changed layers only: a compaction has its own line, and an added item is not worth one. */
function contextLine({ agent, change }: EventOfType<'context'>): string | undefined {
  return change.type === 'layer_changed' ? `context of ${agent}: ${changeText(change)}` : undefined;
}

function verifiedLine({ ok, problems }: EventOfType<'verified'>): string {
  if (problems.length === 0) return ok ? 'verified: every component proved itself' : 'verified: not in order';
  const shown = problems
    .slice(0, 3)
    .map(({ component, message }) => clipText(message.includes(component) ? message : `${component}: ${message}`, 200));
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : '';
  return `verified: ${formatCount(problems.length, 'problem')}: ${shown.join('; ')}${more}`;
}

function sampleLine(event: EventOfType<'sample'>): string | undefined {
  const { sample, trial, outcome, why, done, total, iteration } = event;
  if (outcome === 'unscored')
    return `i${iteration}: ${sample} trial ${trial} is unscored${why === undefined ? '' : `: ${clipText(why, 200)}`}`;
  const quarter = (number: number) => Math.floor((4 * number) / total);
  const passes = total >= MANY_SAMPLES && done < total && quarter(done) > quarter(done - 1);
  return passes ? `i${iteration}: ${done} of ${total} samples done` : undefined;
}

function iterationLine(event: EventOfType<'iteration'>): string {
  const { iteration, round, total, successRate, interval, layers, returned, verdict } = event;
  const failures = layersText(layers);
  const score =
    total === 0
      ? 'no sample ran'
      : `${passedText(event)} of ${total} passed, ${formatPercent(successRate)} (95 % interval ${intervalText(interval)})${verdict === undefined ? '' : `, ${verdict}`}`;
  return `i${iteration} (r${round}): ${score}${failures === '' ? '' : `; failures: ${failures}`}${returned ? '; returned to Init' : ''}`;
}

const DECISIONS = {
  approve: 'approved',
  edit_approve: 'approved with edits',
  request_changes: 'changes requested',
  reject: 'rejected',
  expired: 'expired',
  undone: 'waits again, the decision was taken back',
} as const;

function gateLine({ gate, outcome, actor, comment, digest }: EventOfType<'gate'>): string {
  if (outcome === 'opened') return `${gate} opened: design ${shortDigest(digest)} waits for a decision`;
  const policy = actor.startsWith('policy:') ? ' (a policy, not a person)' : '';
  const by = actor === '' ? '' : ` by ${actor}${policy}`;
  return `${gate} ${DECISIONS[outcome]}${by}${comment.trim() === '' ? '' : `: “${clipText(comment, 200)}”`}`;
}

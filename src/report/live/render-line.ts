/** One plain line for each real change of a run: what a log or a CI job shows instead of a live screen. */
import { count, duration, intervalText, shortDigest, tokens } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { changeText } from '../context/words.ts';
import { layersText } from '../run/layers.ts';
import { clip, terminalText } from '../text/sanitise.ts';
import type { ProgressEvent } from '../../run/progress-event.ts';

type Of<Type extends ProgressEvent['type']> = Extract<ProgressEvent, { type: Type }>;

/** Below this many samples the line of the iteration is news enough. */
const MANY_SAMPLES = 40;

/** Undefined when the event is no news. */
export function renderLine(event: ProgressEvent): string | undefined {
  const line = lineOf(event);
  return line === undefined ? undefined : terminalText(line);
}

function lineOf(event: ProgressEvent): string | undefined {
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
      return `retry ${event.attempt} of ${event.what} in ${pauseText(event)}: ${clip(event.reason, 200)}`;
    case 'wait':
      return `${event.what} waits ${pauseText(event)}: ${clip(event.reason, 200)}`;
    case 'verified':
      return verifiedLine(event);
    case 'sample':
      return sampleLine(event);
    case 'iteration':
      return iterationLine(event);
    case 'gate':
      return gateLine(event);
    case 'state':
      return `${event.status.replaceAll('_', ' ')}${event.detail === '' ? '' : `: ${clip(event.detail, 500)}`}`;
    default:
      return undefined;
  }
}

/** A sub-agent is named as `<agent>/<lane>`. */
export function isLane(agent: string): boolean {
  return agent.includes('/');
}

/** Steps of an agent itself are no news. */
function laneLine({ agent, step, tools }: Of<'step'>): string | undefined {
  if (!isLane(agent)) return undefined;
  return `${agent} step ${step}${tools.length === 0 ? ': answers' : `: ${tools.join(', ')}`}`;
}

/** With its end, so that a person who comes later knows how much of it is left. */
function pauseText({ delayMs, until }: Pick<Of<'wait'>, 'delayMs' | 'until'>): string {
  return until === undefined ? duration(delayMs) : `${duration(delayMs)} (until ${until.slice(11, 19)} UTC)`;
}

function phaseLine({ phase, round, iteration }: Of<'phase'>): string {
  const lines = {
    design: `r${round}: Init designs`,
    execute: `i${iteration} (r${round}): Execute writes tools, checkers and samples`,
    verify: `i${iteration} (r${round}): components are verified without a model`,
    evaluate: `i${iteration} (r${round}): every sample runs through the subject`,
  };
  return lines[phase];
}

function compactionLine({ agent, outcome, tokensBefore, tokensAfter, detail }: Of<'compaction'>): string | undefined {
  if (outcome === 'started') return undefined;
  const cause = detail === '' ? '' : `: ${clip(detail, 200)}`;
  if (outcome === 'refused')
    return `compaction of ${agent} refused at ${tokens(tokensBefore)} tokens, the old view stays${cause}`;
  return `compaction of ${agent}: ${tokens(tokensBefore)} → ${tokens(tokensAfter)} tokens${detail === '' ? '' : ` (${clip(detail, 200)})`}`;
}

/** What a compaction changes is in its own line; an item that is added is no news. */
function contextLine({ agent, change }: Of<'context'>): string | undefined {
  return change.type === 'layer_changed' ? `context of ${agent}: ${changeText(change)}` : undefined;
}

function verifiedLine({ ok, problems }: Of<'verified'>): string {
  if (problems.length === 0) return ok ? 'verified: every component proved itself' : 'verified: not in order';
  const shown = problems
    .slice(0, 3)
    .map(({ layer, component, message }) => `layer ${layer} ${component}: ${clip(message, 120)}`);
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : '';
  return `verified: ${count(problems.length, 'problem')}: ${shown.join('; ')}${more}`;
}

function sampleLine({ sample, trial, outcome, done, total, iteration }: Of<'sample'>): string | undefined {
  if (outcome === 'unscored') return `i${iteration}: ${sample} trial ${trial} is unscored, the infrastructure failed`;
  const quarter = (number: number) => Math.floor((4 * number) / total);
  const passes = total >= MANY_SAMPLES && done < total && quarter(done) > quarter(done - 1);
  return passes ? `i${iteration}: ${done} of ${total} samples done` : undefined;
}

function iterationLine({
  iteration,
  round,
  passed,
  total,
  successRate,
  interval,
  layers,
  returned,
}: Of<'iteration'>): string {
  const failures = layersText(layers);
  const score =
    total === 0
      ? 'no sample ran'
      : `${passed} of ${total} passed, ${formatPercent(successRate)} (95 % interval ${intervalText(interval)})`;
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

function gateLine({ gate, outcome, actor, comment, digest }: Of<'gate'>): string {
  if (outcome === 'opened') return `${gate} opened: design ${shortDigest(digest)} waits for a decision`;
  const policy = actor.startsWith('policy:') ? ' (a policy, not a person)' : '';
  const by = actor === '' ? '' : ` by ${actor}${policy}`;
  return `${gate} ${DECISIONS[outcome]}${by}${comment.trim() === '' ? '' : `: “${clip(comment, 200)}”`}`;
}

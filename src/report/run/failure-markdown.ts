/** Formats one failing sample in Markdown: its verdicts, why this layer, and links to its traces. */
import type { Results, SampleResult, TrialResult, Verdict } from '../../scenario/result.ts';
import { formatClaim, isDisputed } from '../../scenario/attribution/named-causes.ts';
import { decidingTrial, failedVerdicts, listFurtherReasons } from './failure-causes.ts';
import { changeText, isFlaky } from './compare-iterations.ts';
import { formatCount } from '../text/number-format.ts';
import type { ReportNote } from './run-outcome.ts';
import { markdownCode, markdownFence, markdownText } from '../text/markdown.ts';
import { clipText } from '../text/sanitise.ts';

const MAX_CHARS = 2000;

export type FailureContext = {
  /** Formats a path relative to the iteration's folder: as a link, or as text where no link can work. */
  link: (label: string, path: string, line?: number) => string;
  /** Returns the command that replays a sample without a model. */
  again: (sample: string) => string;
  /** The iteration before, if there is one to compare with. */
  previous: Pick<Results, 'samples'> | undefined;
};

export function failureMarkdown(sample: SampleResult, context: FailureContext): string {
  const trial = decidingTrial(sample);
  const reasons = listFurtherReasons(sample);
  return [
    `#### ${markdownCode(sample.id)} ${markdownText(sample.title)}`,
    `${formatSampleFacts(sample, context)}.`,
    ...failedVerdicts(sample).map(verdictMarkdown),
    reasons.length === 0
      ? ''
      : `Why this layer:\n${reasons.map((why) => `- ${markdownText(clipText(why, MAX_CHARS))}`).join('\n')}`,
    claimMarkdown(sample),
    ...(trial === undefined ? [] : [formatDecidingMoment(trial, context), formatEnd(sample, trial, context)]),
    `Again, without a model: ${markdownCode(context.again(sample.id))}`,
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function claimMarkdown(sample: SampleResult): string {
  const text = formatClaim(sample);
  if (text === undefined) return '';
  return `${isDisputed(sample) ? '**Execute disagrees.** ' : ''}${markdownText(clipText(text, MAX_CHARS))}`;
}

function formatDecidingMoment({ deciding, trace }: TrialResult, { link }: FailureContext): string {
  if (deciding === undefined) return '';
  const { step, line, quote } = deciding;
  const place = link(`line ${line} of its trace`, trace, line);
  return `Decided at step ${step} (${place}):\n\n${markdownFence(clipText(quote, MAX_CHARS), 'text')}`;
}

function formatSampleFacts(sample: SampleResult, { previous }: FailureContext): string {
  const passed = sample.trials.filter(({ outcome }) => outcome === 'pass').length;
  const before = previous?.samples.find(({ id }) => id === sample.id);
  const change = previous && changeText(sample, before);
  return [
    `${passed} of ${formatCount(sample.trials.length, 'trial')} passed`,
    ...(change === undefined ? [] : [change]),
    ...(isFlaky(sample) ? ['flaky'] : []),
    `category ${markdownCode(sample.category)}`,
    `rules ${sample.covers.map(markdownText).join(', ') || 'none'}`,
  ].join(' · ');
}

function verdictMarkdown({ checker, reason, evidence, broken }: Verdict): string {
  const who = checker === 'expect' ? 'Expectation' : `Checker ${markdownCode(checker)}`;
  const headline = `**${who}**${broken === true ? ' (the checker itself broke)' : ''}: ${markdownText(clipText(reason, MAX_CHARS))}`;
  return evidence.length === 0
    ? headline
    : `${headline}\n\n${markdownFence(clipText(evidence.join('\n'), MAX_CHARS), 'text')}`;
}

function formatEnd({ trials }: SampleResult, { trial, stop }: TrialResult, { link }: FailureContext): string {
  const failed = trials.filter(({ outcome }) => outcome !== 'pass');
  return `Trial ${trial} ended with ${markdownCode(stop)}. See ${failed.map((one) => link(`trace of trial ${one.trial}`, one.trace)).join(', ')}.`;
}

/** Formats a note with its findings, one a line. */
export function noteMarkdown({ title, text, items = [] }: ReportNote, link: FailureContext['link']): string {
  const list = items.map((item) => `> - ${markdownText(item.text)} (${link('trace', item.path, item.line)})`);
  return [`> **${title}.** ${markdownText(text)}`, ...(list.length === 0 ? [] : ['>', ...list])].join('\n');
}

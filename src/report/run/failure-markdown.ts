/** One failing sample in Markdown: what was expected, what came, why this layer, and where to look. */
import type { SampleResult, TrialResult, Verdict } from '../../scenario/result.ts';
import { formatClaim, isDisputed } from '../../scenario/attribution/named-causes.ts';
import { decidingTrial, failedVerdicts } from './failure-causes.ts';
import { changeText, isFlaky } from './compare-iterations.ts';
import { count } from '../text/number-format.ts';
import { markdownCode, markdownFence, markdownText } from '../text/markdown.ts';
import { clip } from '../text/sanitise.ts';

const LIMIT = 2000;

export type FailureContext = {
  /** Shows a path that is relative to the iteration's folder: as a link, or as text where no link could work. */
  link: (label: string, path: string, line?: number) => string;
  /** The command that plays a sample again without a model. */
  again: (sample: string) => string;
  /** The sample in the iteration before; `undefined` with `compared` set means a sample that is new. */
  before?: SampleResult | undefined;
  compared: boolean;
};

export function failureMarkdown(sample: SampleResult, context: FailureContext): string {
  const trial = decidingTrial(sample);
  return [
    `#### ${markdownCode(sample.id)} ${markdownText(sample.title)}`,
    `${facts(sample, context)}.`,
    ...failedVerdicts(sample).map(verdictMarkdown),
    sample.why.length === 0
      ? ''
      : `Why this layer:\n${sample.why.map((why) => `- ${markdownText(clip(why, LIMIT))}`).join('\n')}`,
    claimMarkdown(sample),
    trial === undefined ? '' : decided(trial, context),
    trial === undefined
      ? ''
      : `Trial ${trial.trial} ended with ${markdownCode(trial.stop)}. ${traceLinks(sample, context.link)}`,
  ]
    .concat(`Again, without a model: ${markdownCode(context.again(sample.id))}`)
    .filter((block) => block !== '')
    .join('\n\n');
}

function claimMarkdown(sample: SampleResult): string {
  const text = formatClaim(sample);
  if (text === undefined) return '';
  return `${isDisputed(sample) ? '**Execute disagrees.** ' : ''}${markdownText(clip(text, LIMIT))}`;
}

function decided({ deciding, trace }: TrialResult, { link }: FailureContext): string {
  if (deciding === undefined) return '';
  const { step, line, quote } = deciding;
  const place = link(`line ${line} of its trace`, trace, line);
  return `Decided at step ${step} (${place}):\n\n${markdownFence(clip(quote, LIMIT), 'text')}`;
}

function facts(sample: SampleResult, { before, compared }: FailureContext): string {
  const passed = sample.trials.filter(({ outcome }) => outcome === 'pass').length;
  const change = compared ? changeText(sample, before) : undefined;
  return [
    `${passed} of ${count(sample.trials.length, 'trial')} passed`,
    ...(change === undefined ? [] : [change]),
    ...(isFlaky(sample) ? ['flaky'] : []),
    `category ${markdownCode(sample.category)}`,
    `rules ${sample.covers.map(markdownText).join(', ') || 'none'}`,
  ].join(' · ');
}

function verdictMarkdown({ checker, reason, evidence, broken }: Verdict): string {
  const who = checker === 'expect' ? 'Expectation' : `Checker ${markdownCode(checker)}`;
  const headline = `**${who}**${broken === true ? ' (the checker itself broke)' : ''}: ${markdownText(clip(reason, LIMIT))}`;
  return evidence.length === 0 ? headline : `${headline}\n\n${markdownFence(clip(evidence.join('\n'), LIMIT), 'text')}`;
}

function traceLinks({ trials }: SampleResult, link: FailureContext['link']): string {
  const failed = trials.filter(({ outcome }) => outcome !== 'pass');
  return `See ${failed.map(({ trace, trial }) => link(`trace of trial ${trial}`, trace)).join(', ')}.`;
}

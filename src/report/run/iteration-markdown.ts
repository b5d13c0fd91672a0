/** Renders `report.md` of an iteration: the score, the changes, failures by cause with evidence, and the proofs. */
import { clipText, shellQuote } from '../text/sanitise.ts';
import { nameLosses } from '../../scenario/lost-by-user.ts';
import type { Results, SampleResult } from '../../scenario/result.ts';
import { groupByCause, failsOnRule, type FailureCause } from './failure-causes.ts';
import { changeText, compareIterations, isFlaky } from './compare-iterations.ts';
import { describeChanges, formatPoints, rateChange, type RateChange } from './rate-change.ts';
import { gradersMarkdown } from './graders-markdown.ts';
import { metricsMarkdown } from './metric-lines.ts';
import { failureMarkdown, noteMarkdown } from './failure-markdown.ts';
import { formatCount, shortDigest, formatUsd } from '../text/number-format.ts';
import { userNotes } from '../../scenario/user-notes.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { describeCauseLayer, layersText } from './layers.ts';
import {
  countUnscored,
  explainUnmet,
  judgeResults,
  listDisputes,
  summariseDoubt,
} from '../../scenario/statistics/judge-results.ts';
import { markdownCode, markdownLink, markdownTable, markdownText } from '../text/markdown.ts';
import { describeAgainst, listResultNotes, scoreText } from './run-outcome.ts';
import { verificationMarkdown } from './verification-markdown.ts';

/** A run id, or the folder of an evaluation without a run, which is judged again from its traces. */
type EvaluationSource = string | { folder: string };

export function renderIterationMarkdown(results: Results, previous?: Results, run: EvaluationSource = '<run>'): string {
  const blocks = [
    `# Iteration ${results.iteration}, round ${results.round}: ${formatPercent(results.successRate)}`,
    formatHeadline(results),
    ...(previous === undefined ? [] : formatComparison(results, previous)),
    ...formatFailures(results, previous, run),
    ...formatNotes('## Users', userNotes(results)),
    ...formatNotes('## Notes of Execute', results.notes ?? []),
    ...formatTallies(results),
    ...gradersMarkdown(results.graders ?? []),
    ...metricsMarkdown(results.metrics ?? [], previous?.metrics),
    ...verificationMarkdown(results.verification),
    '## Reproduce',
    `\`\`\`sh\n${formatReportCommand(run, results.iteration)}\n\`\`\``,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function formatHeadline(results: Results): string {
  const layers = layersText(results.layers);
  const notes = listResultNotes(results);
  const against = describeAgainst(notes);
  return [
    `**${scoreText({ ...results, ...summariseDoubt(results) })}**, ${targetText(results)}.${against === undefined ? '' : ` **${against}.**`}`,
    ...(layers === '' ? [] : [`Failures: ${layers}.`]),
    ...notes.map((note) => `\n${noteMarkdown(note, markdownLink)}\n`),
    `${formatPercent(results.passAll)} of the samples passed all their trials. Cost ${formatUsd(results.costUsd)}.`,
    `Design ${markdownCode(shortDigest(results.designDigest))}, components ${markdownCode(shortDigest(results.componentsDigest))}; generated code confined by ${markdownText(results.sandbox)}.`,
  ].join('\n');
}

function targetText(results: Results): string {
  const { samples, target } = results;
  const open = countUnscored(samples);
  const verdict = judgeResults(results);
  if (verdict === 'disputed' && listDisputes(samples).length > 0)
    return `**disputed**: the target of ${formatPercent(target)} is met only if the doubtful verdicts are settled for the subject`;
  if (open > 0)
    return `**incomplete**: ${formatCount(open, 'trial')} without a verdict, so nothing is said about the target of ${formatPercent(target)}`;
  const unmet = explainUnmet(results);
  if (unmet !== undefined) return `**not met**: the rate reaches the target of ${formatPercent(target)}, and ${unmet}`;
  return `${verdict === 'met' ? 'at or over' : 'under'} the target of ${formatPercent(target)}${results.gate === 'lower-bound' ? ' for the lower bound of the interval' : ''}`;
}

function formatComparison(results: Results, previous: Results): string[] {
  const comparison = compareIterations(results, previous);
  const change = rateChange(results, previous);
  const told = change === undefined ? [] : [...change.byRepair, ...change.bySubject, ...change.byEither];
  const list = (name: string, samples: readonly SampleResult[]): string[] => {
    // Each sample stands in one line: where its move is told already, no other line repeats it.
    const left = samples.filter(({ id }) => !told.some((text) => text.startsWith(`${id} (`)));
    return left.length === 0 ? [] : [`- ${name}: ${left.map((sample) => nameSample(sample, previous)).join(', ')}`];
  };
  return [
    `## Since iteration ${previous.iteration} (${formatPercent(previous.successRate)})`,
    ...(comparison.otherDesign ? ['The design changed in between, so the two rates measure different things.'] : []),
    [
      ...changeLines(change),
      ...list('newly failing', comparison.new),
      ...list('new, and failing', comparison.added),
      ...list('still failing', comparison.still),
      ...list('fixed', comparison.fixed),
      ...(comparison.gone.length === 0 ? [] : [`- no longer there: ${comparison.gone.map(markdownCode).join(', ')}`]),
    ].join('\n'),
  ];
}

function changeLines(change: RateChange | undefined): string[] {
  if (change === undefined) return [];
  const { evaluation, subject, either, byRepair, bySubject, byEither } = change;
  const whose = (ids: readonly string[]) => (ids.length === 0 ? '' : `: ${ids.map(markdownText).join(', ')}`);
  return [
    `- by repairs of the evaluation ${formatPoints(evaluation)} points${whose(byRepair)}`,
    `- by the subject, which met the same as before, ${formatPoints(subject)} points${whose(bySubject)}`,
    `- unclear, as what the subject met was changed too, ${formatPoints(either)} points${whose(byEither)}`,
    `- changed: ${markdownText(describeChanges(change))}`,
  ];
}

/** Names a sample, and says by which layer it fails now, and whether its trials disagree. */
function nameSample(sample: SampleResult, previous: Results): string {
  const before = previous.samples.find(({ id }) => id === sample.id);
  const [, cause] = changeText(sample, before)?.split('still failing, ') ?? [];
  const marks = [cause, isFlaky(sample) ? 'its trials disagree' : undefined].filter((mark) => mark !== undefined);
  return `${markdownCode(sample.id)}${marks.length === 0 ? '' : ` (${marks.join('; ')})`}`;
}

function formatFailures(results: Results, previous: Results | undefined, run: EvaluationSource): string[] {
  const again = (id: string) => formatReplayCommand(run, id, results.iteration);
  const show = (sample: SampleResult) => failureMarkdown(sample, { link: markdownLink, again, previous });
  const causes = groupByCause(results);
  const unscored = results.samples.filter(({ outcome }) => outcome === 'unscored');
  return [
    '## Failures by cause',
    ...(causes.length === 0 ? ['No sample failed.'] : []),
    ...causes.flatMap((cause) => [`### ${causeTitle(cause)}`, ...cause.samples.map(show)]),
    ...(unscored.length === 0 ? [] : [unscoredMarkdown(unscored)]),
  ];
}

/** Returns for example `Cause: checkers (layer 3), owned by Execute · checker refund-window, 2 samples`. */
export function causeTitle({ layer, title, samples }: FailureCause): string {
  return `${describeCauseLayer(layer)} · ${markdownText(title)}, ${formatCount(samples.length, 'sample')}`;
}

const MOST_OF_A_REASON = 500;

function unscoredMarkdown(samples: readonly SampleResult[]): string {
  const line = ({ id, trials, why }: SampleResult) => {
    const [reason = nameLosses({ trials })] = why;
    return `- ${markdownCode(id)}: ${markdownText(clipText(reason, MOST_OF_A_REASON))}`;
  };
  return `### Unscored: these count in no rate\n\n${samples.map(line).join('\n')}`;
}

/** Lists what simulated users failed to do, which no failure shows, or Execute's own notes on this iteration. */
function formatNotes(title: string, notes: readonly string[]): string[] {
  return notes.length === 0 ? [] : [title, notes.map((note) => `- ${markdownText(note)}`).join('\n')];
}

/** Tallies results by rule and category; failures on a rule count apart, as a sample covers several rules. */
function formatTallies(results: Results): string[] {
  const { byRule, byCategory, samples } = results;
  const failedOn = (rule: string): number => samples.filter((sample) => failsOnRule(rule, sample, results)).length;
  const rows = (tally: Results['byRule']): [string, string, string, string][] =>
    Object.entries(tally)
      .sort(([one], [two]) => one.localeCompare(two, 'en', { numeric: true }))
      .map(([key, { passed, total }]) => {
        return [key, String(passed), String(total), total === 0 ? '–' : formatPercent(passed / total)];
      });
  return [
    '## By rule',
    markdownTable(
      ['rule', 'samples that cover it', 'passed', 'failed on this rule'],
      rows(byRule).map(([rule, passed, total]) => [markdownCode(rule), total, passed, String(failedOn(rule))]),
    ),
    '## By category',
    markdownTable(
      ['category', 'passed', 'of', 'rate'],
      rows(byCategory).map(([key, ...rest]) => [markdownCode(key), ...rest]),
    ),
  ];
}

/** Returns the command that shows the iteration's report, or judges the folder again, without a model. */
function formatReportCommand(run: EvaluationSource, iteration: number): string {
  if (typeof run === 'string') return `tandem report ${shellQuote(run)} --iteration ${iteration}`;
  return `tandem rejudge ${shellQuote(run.folder)}`;
}

function formatReplayCommand(run: EvaluationSource, sample: string, iteration: number): string {
  if (typeof run === 'string') return rerunCommandText(run, sample, iteration);
  return `tandem rejudge ${shellQuote(`${run.folder}/traces/${sample}.1.jsonl`)}`;
}

export function rerunCommandText(run: string, sample: string, iteration: number): string {
  return `tandem rerun ${shellQuote(run)} ${shellQuote(sample)} --iteration ${iteration}`;
}

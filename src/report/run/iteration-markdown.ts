/** `report.md` of an iteration: the score, what changed, failures by cause with their evidence, and the proofs. */
import { clip, shellQuote } from '../text/sanitise.ts';
import type { Results, SampleResult } from '../../scenario/result.ts';
import { causesOf, failsOnRule, type FailureCause } from './failure-causes.ts';
import { changeText, compareIterations } from './compare-iterations.ts';
import { changedText, points, rateChange, type RateChange } from './rate-change.ts';
import { gradersMarkdown } from './graders-markdown.ts';
import { metricsMarkdown } from './metric-lines.ts';
import { failureMarkdown } from './failure-markdown.ts';
import { count, shortDigest, usd } from '../text/number-format.ts';
import { userNotes } from '../../scenario/user-notes.ts';
import { formatPercent, reachesTarget } from '../../scenario/percent.ts';
import { layersText } from './layers.ts';
import { markdownCode, markdownLink, markdownTable, markdownText } from '../text/markdown.ts';
import { scoreText } from './verdict.ts';
import { verificationMarkdown } from './verification-markdown.ts';

/** An evaluation that belongs to no run: it is judged again from its traces. */
type Place = string | { folder: string };

export function renderIterationMarkdown(results: Results, previous?: Results, run: Place = '<run>'): string {
  const blocks = [
    `# Iteration ${results.iteration}, round ${results.round}: ${formatPercent(results.successRate)}`,
    headline(results),
    ...(previous === undefined ? [] : changes(results, previous)),
    ...failures(results, previous, run),
    ...usersOf(results),
    ...notesOf(results),
    ...tallies(results),
    ...gradersMarkdown(results.graders ?? []),
    ...metricsMarkdown(results.metrics ?? [], previous?.metrics),
    ...verificationMarkdown(results.verification),
    '## Reproduce',
    `\`\`\`sh\n${wholeCommand(run, results.iteration)}\n\`\`\``,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function headline(results: Results): string {
  const met = reachesTarget(results.successRate, results.target) ? 'at or over' : 'under';
  const layers = layersText(results.layers);
  return [
    ...(results.simulated ? ['**SIMULATED**: every model answer came from the offline simulator.\n'] : []),
    `**${scoreText(results)}**, ${met} the target of ${formatPercent(results.target)}.`,
    ...(layers === '' ? [] : [`Failures: ${layers}.`]),
    `${formatPercent(results.passAll)} of the samples passed all their trials. Cost ${usd(results.costUsd)}.`,
    `Design ${markdownCode(shortDigest(results.designDigest))}, components ${markdownCode(shortDigest(results.componentsDigest))}; generated code confined by ${markdownText(results.sandbox)}${gapsText(results)}.`,
  ].join('\n');
}

function gapsText({ sandboxGaps = [] }: Results): string {
  return sandboxGaps.length === 0 ? '' : `, which leaves open: ${markdownText(sandboxGaps.join('; '))}`;
}

function changes(results: Results, previous: Results): string[] {
  const comparison = compareIterations(results, previous);
  const list = (samples: readonly SampleResult[]) => samples.map(({ id }) => markdownCode(id)).join(', ') || 'none';
  return [
    `## Since iteration ${previous.iteration} (${formatPercent(previous.successRate)})`,
    ...(comparison.otherDesign ? ['The design changed in between, so the two rates measure different things.'] : []),
    [
      ...changeLines(rateChange(results, previous)),
      `- newly failing: ${list(comparison.new)}`,
      ...(comparison.added.length === 0 ? [] : [`- new, and failing: ${list(comparison.added)}`]),
      `- still failing: ${comparison.still.map((sample) => stillText(sample, previous)).join(', ') || 'none'}`,
      `- fixed: ${list(comparison.fixed)}`,
      `- flaky (its trials disagree): ${list(comparison.flaky)}`,
      ...(comparison.gone.length === 0 ? [] : [`- no longer there: ${comparison.gone.map(markdownCode).join(', ')}`]),
    ].join('\n'),
  ];
}

function changeLines(change: RateChange | undefined): string[] {
  if (change === undefined) return [];
  const { evaluation, subject, either, byRepair, bySubject, byEither } = change;
  const whose = (ids: readonly string[]) => (ids.length === 0 ? '' : `: ${ids.map(markdownText).join(', ')}`);
  return [
    `- by repairs of the evaluation ${points(evaluation)} points${whose(byRepair)}`,
    `- by the subject, which met the same as before, ${points(subject)} points${whose(bySubject)}`,
    `- by one of both, as what the subject met was changed too, ${points(either)} points${whose(byEither)}`,
    `- changed: ${markdownText(changedText(change))}`,
  ];
}

function stillText(sample: SampleResult, previous: Results): string {
  const words = changeText(
    sample,
    previous.samples.find(({ id }) => id === sample.id),
  );
  return `${markdownCode(sample.id)}${words === 'still failing' ? '' : ` (${words?.replace('still failing, ', '')})`}`;
}

function failures(results: Results, previous: Results | undefined, run: Place): string[] {
  const before = new Map(previous?.samples.map((sample) => [sample.id, sample]));
  const show = (sample: SampleResult) =>
    failureMarkdown(sample, {
      link: markdownLink,
      again: (id) => againCommand(run, id, results.iteration),
      before: before.get(sample.id),
      compared: previous !== undefined,
    });
  const causes = causesOf(results);
  const unscored = results.samples.filter(({ outcome }) => outcome === 'unscored');
  return [
    '## Failures by cause',
    ...(causes.length === 0 ? ['No sample failed.'] : []),
    ...causes.flatMap((cause) => [`### ${causeTitle(cause)}`, ...cause.samples.map(show)]),
    ...(unscored.length === 0 ? [] : [unscoredMarkdown(unscored)]),
  ];
}

/** `Layer 3 (checkers, owner Execute): checker refund-window — 2 samples`. */
export function causeTitle({ layer, title, samples }: FailureCause): string {
  const place = layer === undefined ? 'No layer yet' : `Layer ${layer.key} (${layer.name}, owner ${layer.owner})`;
  return `${place}: ${markdownText(title)}, ${count(samples.length, 'sample')}`;
}

const MOST_OF_A_REASON = 500;

function unscoredMarkdown(samples: readonly SampleResult[]): string {
  const line = ({ id, trials, why }: SampleResult) => {
    const [reason = trials.at(0)?.stop ?? 'no trial'] = why;
    return `- ${markdownCode(id)}: ${markdownText(clip(reason, MOST_OF_A_REASON))}`;
  };
  return `### Unscored: the infrastructure failed, so these count in no rate\n\n${samples.map(line).join('\n')}`;
}

/** What its users did not do: no failure shows it. */
function usersOf(results: Results): string[] {
  const notes = userNotes(results);
  return notes.length === 0 ? [] : ['## Users', notes.map((note) => `- ${markdownText(note)}`).join('\n')];
}

/** What Execute said about this iteration, in its own words. */
function notesOf({ notes = [] }: Results): string[] {
  return notes.length === 0 ? [] : ['## Notes of Execute', notes.map((note) => `- ${markdownText(note)}`).join('\n')];
}

/** A sample covers several rules, and breaks few of them: what it fails on is counted separately. */
function tallies(results: Results): string[] {
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

/** Plays a sample of an iteration again from its trace, without a model. */
function wholeCommand(run: Place, iteration: number): string {
  if (typeof run === 'string') return `tandem report ${shellQuote(run)} --iteration ${iteration}`;
  return `tandem rejudge ${shellQuote(run.folder)}`;
}

function againCommand(run: Place, sample: string, iteration: number): string {
  if (typeof run === 'string') return rerunCommandText(run, sample, iteration);
  return `tandem rejudge ${shellQuote(`${run.folder}/traces/${sample}.1.jsonl`)}`;
}

export function rerunCommandText(run: string, sample: string, iteration: number): string {
  return `tandem rerun ${shellQuote(run)} ${shellQuote(sample)} --iteration ${iteration}`;
}

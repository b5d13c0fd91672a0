/** Renders a run or an evaluation in a few terminal rows: outcome, rate, cost, and caveats. */
import type { Brief } from '../../scenario/brief.ts';
import type { Results } from '../../scenario/result.ts';
import { countUnscored, describePassed, type ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import { graderLines } from './graders-markdown.ts';
import {
  formatCount,
  formatDuration,
  iterationRate,
  paidText,
  formatSparkline,
  formatUsd,
} from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { forecastAgainst } from '../text/forecast-text.ts';
import { createPaint, formatRow, type Span, type Style, type TerminalSize } from '../text/terminal-colors.ts';
import { durationSuffix, paidSoFar, type RunSummary } from './run-summary.ts';
import { clipText, terminalText } from '../text/sanitise.ts';
import {
  describeAgainst,
  formatPlace,
  listReportNotes,
  listResultNotes,
  describeOutcome,
  type Tone,
} from './run-outcome.ts';
import { wrapText } from '../text/width.ts';

const STYLES: Readonly<Record<Tone, Style>> = { good: 'good', bad: 'bad', warn: 'warn', plain: 'accent' };

export function renderStatus(summary: RunSummary, { columns, color }: TerminalSize): string[] {
  const width = Math.max(1, Math.floor(columns) || 1);
  const paint = createPaint(color);
  const paragraph = (text: string, style: Style = 'dim'): string[] =>
    text.trim() === ''
      ? []
      : wrapText(terminalText(text), width).map((line) => formatRow([[style, line]], width, paint));
  const { tone, title } = describeOutcome(summary);
  const notes = listReportNotes(summary);
  const simulated: Span[] = summary.simulated ? ['  ', ['loud', ' SIMULATED ']] : [];
  return [
    formatRow([['bold', summary.scenario], `  ${summary.run}`, ...simulated], width, paint),
    formatRow([[STYLES[tone], title]], width, paint),
    ...paragraph(describeAgainst(notes) ?? '', 'warn'),
    ...paragraph(summary.why),
    ...formatRate(summary).map((spans) => formatRow(spans, width, paint)),
    ...wrapText(formatRunFacts(summary), width).map((line) => formatRow([line], width, paint)),
    ...(summary.forecast === undefined || summary.simulated
      ? []
      : paragraph(forecastAgainst(summary.forecast, paidSoFar(summary)))),
    ...notes.flatMap((note) => [
      ...paragraph(`${note.title}: ${note.text}`, STYLES[note.tone]),
      ...(note.items ?? []).flatMap(({ text, path, line }) =>
        paragraph(`- ${text} (${formatPlace(path, line)})`, 'warn'),
      ),
    ]),
  ];
}

function formatRate({ iterations, target }: RunSummary): Span[][] {
  if (iterations.length === 0) return [];
  const shown = iterations.slice(-24);
  const numbers = shown.slice(-6).map(iterationRate);
  return [
    [
      ['accent', formatSparkline(shown.map((one) => one.successRate))],
      `  ${numbers.join('  ')}`,
      ['dim', `  target ${formatPercent(target)}`],
    ],
  ];
}

function formatRunFacts({ rounds, iterations, spend, budgetUsd, compactions, durationMs }: RunSummary): string {
  const parts = [
    formatCount(rounds.length, 'round'),
    formatCount(iterations.length, 'iteration'),
    `${paidText(spend)} of ${formatUsd(budgetUsd)}`,
    `${formatCount(spend.calls, 'model call')}${durationSuffix(spend)}`,
    formatCount(compactions.length, 'compaction'),
    formatDuration(durationMs),
  ];
  return parts.join(' · ');
}

const MOST_OF_A_REASON = 300;

/** Lists each reason once: an endpoint that is down gives the same reason for every sample. */
function reasonsUnscored({ samples }: Results): string[] {
  const unscored = samples.filter(({ outcome }) => outcome === 'unscored');
  return [...new Set(unscored.flatMap(({ why }) => why))].slice(0, 3);
}

function describeMissing(samples: Results['samples']): string {
  return `${formatCount(countUnscored(samples), 'trial')} without a verdict: the same command plays only what is missing.`;
}

/** `place` is the folder of the evaluation, as a reader of the terminal types it. */
export function renderEvaluation(
  results: Results,
  { target, gate }: Pick<Brief, 'target' | 'gate'>,
  { verdict, judged, place }: { verdict: ResultsVerdict; judged: string; place: string },
): string[] {
  const notes = listResultNotes(results);
  const against = describeAgainst(notes);
  const { total, unscored, interval, successRate, samples, costUsd } = results;
  const failed = samples.filter(({ outcome }) => outcome === 'fail').length;
  const from = interval.map((bound) => formatPercent(bound)).join(' to ');
  return [
    `${describePassed(samples)} of ${total} samples pass (${formatPercent(successRate)}, 95 % interval ${from}), ${failed} fail, ${unscored} unscored; $${costUsd.toFixed(2)}`,
    `Target ${formatPercent(target)} (${gate === 'rate' ? 'rate' : 'lower bound'}): ${judged}`,
    ...(against === undefined ? [] : [against]),
    ...(verdict === 'incomplete' ? [describeMissing(samples)] : []),
    ...reasonsUnscored(results).map((why) => `Unscored: ${clipText(why, MOST_OF_A_REASON)}`),
    ...notes.flatMap(({ title, text, items = [] }) => [
      `${title}: ${text}`,
      ...items.map(
        (item) => `  ${clipText(item.text, MOST_OF_A_REASON)} (${place}/${formatPlace(item.path, item.line)})`,
      ),
    ]),
    ...(results.graders ?? []).flatMap((grader) => graderLines(grader).slice(0, 1)),
    `Read: ${place}/report.md`,
    `Judge again without a model: tandem rejudge ${place}   Numbers: tandem statistics ${place}`,
  ];
}

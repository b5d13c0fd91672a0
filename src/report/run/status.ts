/** Renders the state of a run in a few terminal rows: outcome, rate, cost, and caveats. */
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
import { terminalText } from '../text/sanitise.ts';
import { describeAgainst, formatPlace, listReportNotes, describeOutcome, type Tone } from './run-outcome.ts';
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

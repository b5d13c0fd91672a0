/** The state of a run in a few terminal rows: verdict, rate, cost, and what qualifies them. */
import { count, duration, iterationRate, paidText, sparkline, usd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { forecastAgainst } from '../text/forecast-text.ts';
import { createPaint, row, type Span, type Style, type TerminalSize } from '../text/terminal-colors.ts';
import { durationSuffix, paidSoFar, type RunSummary } from './run-summary.ts';
import { terminalText } from '../text/sanitise.ts';
import { notesOf, verdict, type Tone } from './verdict.ts';
import { wrap } from '../text/width.ts';

const STYLES: Readonly<Record<Tone, Style>> = { good: 'good', bad: 'bad', warn: 'warn', plain: 'accent' };

export function renderStatus(summary: RunSummary, { columns, color }: TerminalSize): string[] {
  const width = Math.max(1, Math.floor(columns) || 1);
  const paint = createPaint(color);
  const paragraph = (text: string, style: Style = 'dim'): string[] =>
    text.trim() === '' ? [] : wrap(terminalText(text), width).map((line) => row([[style, line]], width, paint));
  const { tone, title } = verdict(summary);
  const simulated: Span[] = summary.simulated ? ['  ', ['loud', ' SIMULATED ']] : [];
  return [
    row([['bold', summary.scenario], `  ${summary.run}`, ...simulated], width, paint),
    row([[STYLES[tone], title]], width, paint),
    ...paragraph(summary.why),
    ...rate(summary).map((spans) => row(spans, width, paint)),
    ...wrap(facts(summary), width).map((line) => row([line], width, paint)),
    ...(summary.forecast === undefined ? [] : paragraph(forecastAgainst(summary.forecast, paidSoFar(summary)))),
    ...notesOf(summary).flatMap((note) => paragraph(`${note.title}: ${note.text}`, STYLES[note.tone])),
    row([['dim', summary.folder]], width, paint),
  ];
}

function rate({ iterations, target }: RunSummary): Span[][] {
  if (iterations.length === 0) return [];
  const shown = iterations.slice(-24);
  const numbers = shown.slice(-6).map(iterationRate);
  return [
    [
      ['accent', sparkline(shown.map((one) => one.successRate))],
      `  ${numbers.join('  ')}`,
      ['dim', `  target ${formatPercent(target)}`],
    ],
  ];
}

function facts({ rounds, iterations, spend, budgetUsd, compactions, durationMs }: RunSummary): string {
  const parts = [
    count(rounds.length, 'round'),
    count(iterations.length, 'iteration'),
    `${paidText(spend)} of ${usd(budgetUsd)}`,
    `${count(spend.calls, 'model call')}${durationSuffix(spend)}`,
    count(compactions.length, 'compaction'),
    duration(durationMs),
  ];
  return parts.join(' · ');
}

/** Compares subjects side by side: one table, the paired tests, and the samples on which they differ. */
import { formatPercent } from '../../scenario/percent.ts';
import type { Compared, SubjectPair } from '../../scenario/statistics/compare-subjects.ts';
import { markdownCode, markdownTable, markdownText, type ReportTable, tableMarkdown } from '../text/markdown.ts';
import { intervalText, formatUsd } from '../text/number-format.ts';
import { passedText } from './run-outcome.ts';

const MOST_SAMPLES = 100;

export function subjectsMarkdown({ subjects, pairs, differing }: Compared, scenario: string): string {
  const names = subjects.map(({ name }) => name);
  const rows = Object.entries(differing);
  const left = rows.length - MOST_SAMPLES;
  const blocks = [
    `# ${markdownText(scenario)}: ${subjects.length} subjects on the same samples`,
    ...(subjects.some(({ simulated }) => simulated)
      ? ['**SIMULATED**: model answers came from the offline simulator.']
      : []),
    tableMarkdown(subjectsTable(subjects)),
    '## Pairs, sample by sample',
    pairs.map((pair) => `- ${markdownText(pairText(pair))}`).join('\n'),
    '## Samples on which they differ',
    rows.length === 0
      ? 'None.'
      : markdownTable(
          ['sample', ...names],
          rows
            .slice(0, MOST_SAMPLES)
            .map(([id, own]) => [
              markdownCode(id),
              ...names.map((name) => (own[name] === undefined ? '–' : `${own[name].passed} of ${own[name].total}`)),
            ]),
        ),
    ...(left > 0 ? [`And ${left} more, in comparison.json.`] : []),
    ...names.map((name) => `[${markdownText(name)}](${encodeURIComponent(name)}/report.md)`),
  ];
  return `${blocks.join('\n\n')}\n`;
}

export function subjectsTable(subjects: Compared['subjects']): ReportTable {
  return {
    label: 'Subjects',
    head: ['subject', 'samples that pass', 'rate', '95 % interval', 'trials that pass', 'unscored', 'cost', 'target'],
    rows: subjects.map((row) => [
      ...[
        { code: row.name },
        `${passedText(row)} of ${row.total}`,
        formatPercent(row.successRate),
        intervalText(row.interval),
      ],
      ...[formatPercent(row.passAtOne), row.unscored, formatUsd(row.costUsd)],
      row.met ? 'met' : { pill: describeTarget(row), tone: 'warn' },
    ]),
  };
}

function describeTarget({ verdict, met }: Compared['subjects'][number]): string {
  return verdict ?? (met ? 'met' : 'not met');
}

/** Formats one terminal line per subject and pair. */
export function subjectLines({ subjects, pairs }: Compared): string[] {
  const width = Math.max(...subjects.map(({ name }) => name.length));
  return [
    ...subjects.map(
      (row) =>
        `${row.name.padEnd(width)}  ${formatPercent(row.successRate).padStart(7)}  ${passedText(row)} of ${row.total} samples (95 % interval ${intervalText(row.interval)}), ${row.unscored} unscored, ${formatUsd(row.costUsd)}; target ${describeTarget(row)}`,
    ),
    ...pairs.map(pairText),
  ];
}

/** Describes the result of the paired test of two subjects. */
export function pairText({ one, other, samples, rates, p, label }: SubjectPair): string {
  const found = label === 'one' || label === 'other' ? `${label === 'one' ? one : other} is better` : label;
  return `${one} and ${other}: ${found} (${formatPercent(rates.one)} and ${formatPercent(rates.other)} of the trials of ${samples} samples, p ${p < 0.001 ? '< 0.001' : p.toFixed(3)})`;
}

/** Graders in a report: their verdicts, how far people's labels confirm them, and which labels would help most. */
import type { GraderReport } from '../../scenario/grader.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { formatCount, intervalText } from '../text/number-format.ts';
import { type TableCell, markdownText, type ReportTable, tableMarkdown } from '../text/markdown.ts';

export function gradersTable(graders: readonly GraderReport[]): ReportTable {
  const rate = (value: number | undefined) => (value === undefined ? 'not known' : formatPercent(value));
  return {
    label: 'Graders',
    head: ['grader', 'decides', 'its own rate', 'corrected rate', 'sensitivity', 'specificity', 'kappa', 'labels'],
    rows: graders.map((grader) => [
      { code: grader.id },
      toDecidesCell(grader),
      `${grader.passed} of ${grader.judged}`,
      correctedText(grader),
      rate(grader.sensitivity),
      rate(grader.specificity),
      grader.kappa === undefined ? 'not known' : grader.kappa.toFixed(2),
      grader.labels.pass + grader.labels.fail,
    ]),
  };
}

function toDecidesCell({ counts, allowed }: GraderReport): TableCell {
  if (!counts) return { pill: 'no', tone: 'warn' };
  return allowed === true ? { pill: 'yes, uncalibrated', tone: 'warn' } : { pill: 'yes', tone: 'good' };
}

export function gradersMarkdown(graders: readonly GraderReport[]): string[] {
  if (graders.length === 0) return [];
  const lines = graders.flatMap((grader) => graderLines(grader).map((line) => `- ${markdownText(line)}`));
  return ['## Graders: verdicts that a model gave', tableMarkdown(gradersTable(graders)), lines.join('\n')];
}

/** Describes a grader in lines for terminal and Markdown alike. */
export function graderLines(grader: GraderReport): string[] {
  const { id, model, counts, allowed, why, labels, next } = grader;
  const stale = labels.otherVersion;
  return [
    `${id} (${model}): ${counts ? 'its verdicts decide' : 'its verdicts are shown and decide nothing'}${allowed === true ? ', because scenario.yaml says graders: {uncalibrated: allow}' : ''}${why === undefined ? '' : `; ${why}`}`,
    ...(grader.void === 0 ? [] : [`${id}: ${formatCount(grader.void, 'verdict')} void`]),
    `${id}: ${labels.pass} pass and ${labels.fail} fail labelled in the test part; ${labels.train} train, ${labels.dev} dev${stale === 0 ? '' : `; ${formatCount(stale, 'label')} for conversations that this version of it has not judged`}`,
    ...(grader.judged === 0
      ? []
      : [`${id}: it passed ${grader.passed} of ${grader.judged}; corrected ${correctedText(grader)}`]),
    ...(next.length === 0 ? [] : [`${id}: labels that would help most: ${next.join(', ')} (tandem label)`]),
  ];
}

export function correctedText({ corrected }: GraderReport): string {
  if (corrected === undefined) return 'not known: no label tells it from chance';
  return `${formatPercent(corrected.value)} (95 % interval ${intervalText(corrected.interval)})`;
}

/** Renders the review of a gate in Markdown, for a pull request, a job summary or a mail. */
import type { GateComment } from '../../run/exchanges.ts';
import type { ReviewPack, RuleChange } from '../../gate/rules/review-pack.ts';
import { formatCount, paidText, shortDigest, formatUsd } from '../text/number-format.ts';
import { shellQuote, clipText } from '../text/sanitise.ts';
import { stillToPayText } from '../text/forecast-text.ts';
import { markdownCode, markdownFence, markdownTable, markdownText } from '../text/markdown.ts';
import { CONFIRM_WORD } from '../../gate/rules/gate.ts';
import { listApprovalDoubts } from './approval-doubts.ts';
import {
  describeGateComment,
  describeOutcome,
  casesText,
  changesText,
  isOverBudget,
  reachedText,
  ruleMark,
  listUncovered,
  sectionsText,
  sinceHeading,
} from './review-texts.ts';

/** A GitHub comment may hold 65,536 characters; the rest of the page stays far below. */
const MAX_FENCED_CHARS = 40_000;

/** `closed`: the gate no longer waits; it says who answered and how, or why nobody did. */
type ReviewOutcome = { closed?: string; said?: readonly GateComment[] };

export function renderReviewMarkdown(pack: ReviewPack, { closed, said = [] }: ReviewOutcome = {}): string {
  const { spentUsd, uncertainUsd, budgetUsd, text } = pack.effect;
  const blocks = [
    `# ${markdownText(pack.gate)}: ${markdownText(pack.title)}`,
    `Round ${pack.round} of ${markdownCode(pack.scenario)}, run ${markdownCode(pack.run)}, design ${markdownCode(shortDigest(pack.designDigest))} by ${markdownText(pack.author)}.`,
    ...(pack.simulated === true ? ['**SIMULATED**: the model behind this run is the offline simulator.'] : []),
    ...(closed === undefined ? ['## What you are deciding'] : ['## What was decided on', markdownText(closed)]),
    `${markdownText(text)} ${stillToPayText(pack.effect)}; spent ${paidText({ usd: spentUsd, uncertainUsd })} of ${formatUsd(budgetUsd)}.${isOverBudget(pack) ? ' **This would pass the cap.**' : ''}`,
    pack.round === 1 ? '## Why now' : `## Why round ${pack.round}`,
    [
      markdownText(pack.why.text),
      ...pack.why.evidence.map((one) => `- ${markdownText(one.text)} ${markdownCode(one.path)}`),
    ].join('\n'),
    ...formatChanges(pack),
    ...formatComments(pack),
    ...formatGateComments(said),
    ...formatChecks(pack),
    ...formatCases(pack),
    ...formatSources(pack),
    ...formatSubjectPrompt(pack),
    ...formatQuestions(pack),
    ...(closed === undefined ? ['## Answer', ...formatAnswerCommands(pack)] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function formatChanges(pack: ReviewPack): string[] {
  const rules = pack.rules.map(
    ({ id, title, severity, text }) =>
      `- **${markdownText(id)}** ${markdownText(title)} (${markdownText(severity)}): ${markdownText(text)}`,
  );
  const summary =
    pack.summary.trim() === ''
      ? []
      : [
          pack.summary
            .split(/\n{2,}/)
            .map(markdownText)
            .join('\n\n'),
        ];
  const changed = pack.since.rules.map(changeMarkdown);
  if (pack.since.round === null) {
    return [
      '## The design',
      ...summary,
      ...(changed.length === 0 ? [] : [`Changed since the last round, which nobody approved:`, changed.join('\n')]),
      `${formatCount(pack.rules.length, 'rule')}; whole text in ${markdownCode(pack.designDir)}.`,
      rules.join('\n'),
    ];
  }
  const lines = [...changed, ...pack.since.format.map((line) => `- ~ format: ${markdownText(line)}`)];
  return [
    `## ${toSentenceCase(sinceHeading(pack))}`,
    `${changesText(pack)}.`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    ...summary,
    ...(pack.since.diff === ''
      ? []
      : [
          `<details><summary>Full diff</summary>\n\n${markdownFence(clipText(pack.since.diff, MAX_FENCED_CHARS), 'diff')}\n\n</details>`,
        ]),
    `<details><summary>All ${formatCount(pack.rules.length, 'rule')}</summary>\n\n${rules.join('\n')}\n\n</details>`,
  ];
}

const toSentenceCase = (title: string) => title.charAt(0) + title.slice(1).toLowerCase();

function changeMarkdown(change: RuleChange): string {
  return [
    `- ${ruleMark(change)} **${markdownText(change.id)}** ${markdownText(change.title)} (${change.kind})`,
    ...(change.before === undefined ? [] : [`  - before: ${markdownText(change.before)}`]),
    ...(change.after === undefined ? [] : [`  - after: ${markdownText(change.after)}`]),
    ...(change.reason === undefined ? [] : [`  - because: ${markdownText(change.reason)}`]),
    ...(change.evidence.length === 0 ? [] : [`  - shown by: ${change.evidence.map(markdownCode).join(', ')}`]),
  ].join('\n');
}

function formatComments({ comments: list }: ReviewPack): string[] {
  const line = ({ text, actor, gate, detail, ...outcome }: ReviewPack['comments'][number]) =>
    `- ${outcome.addressed ? describeOutcome(outcome) : `**${describeOutcome(outcome)}**`}: “${markdownText(text)}” ${markdownText(actor)} at ${markdownText(gate)}${detail === '' ? '' : `. ${markdownText(detail)}`}`;
  return list.length === 0 ? [] : ['## Comments so far', list.map(line).join('\n')];
}

function formatGateComments(said: readonly GateComment[]): string[] {
  const lines = said.map((one) => `- ${markdownText(describeGateComment(one))}`);
  return lines.length === 0 ? [] : ['## Said at this gate; it decides nothing', lines.join('\n')];
}

function formatChecks({ checks: list }: ReviewPack): string[] {
  const line = ({ name, ok, skipped, detail }: ReviewPack['checks'][number]) =>
    `- ${skipped === true ? 'not checked' : ok ? 'ok' : '**FAILED**'}: ${markdownText(name)}${detail === '' ? '' : `, ${markdownText(detail)}`}`;
  return list.length === 0
    ? []
    : [
        '## Checks',
        list
          .toSorted((one, two) => Number(one.ok) - Number(two.ok))
          .map(line)
          .join('\n'),
      ];
}

function formatCases({ cases: table }: ReviewPack): string[] {
  if (table === undefined) return [];
  const lines = table.findings.map(
    ({ kind, text, example }) =>
      `- **${kind}**: ${markdownText(text)}${example === undefined ? '' : ` For example ${markdownText(example)}.`}`,
  );
  const rows = table.rules.flatMap(({ id, lines: own, over }) =>
    own.map(({ when, demands }, index) => [
      ...[index === 0 ? id : '', when, demands, index === 0 ? over.join(', ') : ''].map(markdownText),
    ]),
  );
  return [
    '## Cases',
    [`${casesText(table)}.`, reachedText(table)].filter((one) => one !== undefined).join(' '),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    markdownTable(['rule', 'when', 'demands', 'goes before'], rows),
    ...(table.readings === undefined
      ? []
      : [`What counts as done:\n\n${table.readings.map((one) => `- ${markdownText(one)}`).join('\n')}`]),
  ];
}

/** Limits the list, because a GitHub comment has at most 65,536 characters. */
const MOST_SECTIONS = 100;

function formatSources(pack: ReviewPack): string[] {
  const text = sectionsText(pack);
  if (text === undefined) return [];
  const rows = listUncovered(pack).flatMap(({ file, sections, whole }) =>
    whole === undefined
      ? sections.map(({ line, title }) => `- ${markdownCode(`${file}:${line}`)} ${markdownText(title)}`)
      : [`- ${markdownCode(file)} ${whole}`],
  );
  const more = rows.length - MOST_SECTIONS;
  const shown = [...rows.slice(0, MOST_SECTIONS), ...(more > 0 ? [`- and ${more} more`] : [])];
  const heading = `## Sources\n\n${text[0]?.toUpperCase()}${text.slice(1)}.`;
  return rows.length === 0
    ? [heading]
    : [heading, `<details><summary>Sections without a rule</summary>\n\n${shown.join('\n')}\n\n</details>`];
}

function formatSubjectPrompt({ prompt }: ReviewPack): string[] {
  if (prompt === undefined) return [];
  const text = markdownFence(clipText(prompt, MAX_FENCED_CHARS));
  return [`<details><summary>The subject’s prompt</summary>\n\n${text}\n\n</details>`];
}

function formatQuestions({ questions: list }: ReviewPack): string[] {
  return list.length === 0
    ? []
    : ['## Questions for you', list.map((question, index) => `${index + 1}. ${markdownText(question)}`).join('\n')];
}

function formatAnswerCommands(pack: ReviewPack): string[] {
  const which = `${shellQuote(pack.run)} --gate ${shellQuote(pack.gate)} --digest ${shellQuote(pack.designDigest)}`;
  const commands = [
    `tandem gates approve ${which}`,
    `tandem gates request-changes ${which} --comment '…'`,
    `tandem gates reject ${which} --comment '…'`,
  ];
  const doubted = listApprovalDoubts(pack).length > 0;
  return [
    markdownFence(commands.join('\n'), 'sh'),
    ...(doubted ? [`To approve although something was found, add \`--${CONFIRM_WORD}\`.`] : []),
  ];
}

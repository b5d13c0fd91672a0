/** Renders a gate as a one-minute terminal screen: the decision, the reason, the changes, and open problems. */
import type { ReviewPack, RuleChange } from '../../gate/rules/review-pack.ts';
import { stillToPayText } from '../text/forecast-text.ts';
import { formatCount, formatDuration, paidText, shortDigest, formatUsd } from '../text/number-format.ts';
import { createPaint, formatJustifiedRow, formatRow, type Span, type TerminalSize } from '../text/terminal-colors.ts';
import {
  changesText,
  coverageText,
  isOverBudget,
  ruleMark,
  formatSinceTitle,
  type SinceDecision,
} from './review-texts.ts';
import type { GateComment } from '../../run/exchanges.ts';
import {
  formatCases,
  formatCaseReadings,
  formatRuleCases,
  formatChecks,
  formatComments,
  formatSubjectPrompt,
  formatQuestions,
  formatGateComments,
  formatSources,
} from './review-terminal-sections.ts';
import { createScreen, type Screen } from './terminal-screen.ts';

/** Data shown in addition to the frozen pack; no key row is shown when `keys` is empty. */
export type ReviewScreenState = {
  waitingMs?: number;
  expiresAt?: string;
  /** Set when the `since` part of the pack was made for this reader. */
  read?: SinceDecision;
  /** Names those who approved so far, and how many more must. */
  standing?: string;
  /** Another reviewer's edit of the design, which is what the decision is about. */
  edit?: { by: string; rules: readonly RuleChange[]; format: readonly string[] };
  /** Comments by external agents and colleagues. */
  said?: readonly GateComment[];
  /** Set when the gate no longer waits: says who answered and how, or why nobody did. */
  closed?: string;
  keys?: readonly (readonly [key: string, does: string])[];
  /** True when a prompt follows: the decision comes last, because readers see the end of a long text. */
  prompt?: boolean;
};

const KEYS = [
  ['a', 'approve'],
  ['r', 'request changes'],
  ['x', 'reject'],
  ['d', 'full diff'],
] as const;

export function renderReviewTerminal(
  pack: ReviewPack,
  { columns, color }: TerminalSize,
  moment: ReviewScreenState = {},
): string[] {
  const screen = createScreen(Math.max(1, Math.floor(columns) || 1), createPaint(color));
  return [
    ...formatHeader(pack, moment, screen),
    ...(moment.standing === undefined ? [] : screen.text(moment.standing, 0, 'warn')),
    ...(moment.prompt === true ? [] : formatDecision(pack, moment, screen)),
    screen.heading(pack.round === 1 ? 'WHY NOW' : `WHY ROUND ${pack.round}`),
    ...screen.text(pack.why.text, 2),
    ...pack.why.evidence.flatMap(({ text, path }) => screen.item(['dim', '  · '], `${text} (${path})`)),
    ...formatEdit(moment, screen),
    ...formatChanges(pack, moment, screen),
    ...formatComments(pack, screen),
    ...formatGateComments(moment.said, screen),
    ...formatChecks(pack, screen),
    ...formatCases(pack, screen),
    ...formatSources(pack, screen),
    ...formatSubjectPrompt(pack, screen),
    ...formatQuestions(pack, screen),
    ...(moment.prompt === true ? formatDecision(pack, moment, screen) : []),
    ...formatKeysRow(moment, screen),
  ];
}

function formatHeader(
  pack: ReviewPack,
  { waitingMs, expiresAt }: ReviewScreenState,
  { columns, paint }: Screen,
): string[] {
  const times = [
    ...(waitingMs === undefined ? [] : [`waiting ${formatDuration(waitingMs)}`]),
    ...(expiresAt === undefined ? [] : [`expires ${expiresAt}`]),
    `by ${pack.author}`,
    `design ${shortDigest(pack.designDigest)}`,
  ];
  const left: Span[] = [
    ['accent', pack.gate.replace(/\.r\d+$/, '')],
    `  round ${pack.round}  `,
    ['bold', pack.scenario],
  ];
  const simulated: Span[] = pack.simulated === true ? [' ', ['loud', ' SIMULATED ']] : [];
  return [
    formatJustifiedRow({ left: [...left, ...simulated], right: [['dim', times.join(' · ')]] }, columns, paint),
    formatRow([['dim', `${pack.title} · run ${pack.run}`]], columns, paint),
  ];
}

function formatDecision(pack: ReviewPack, { closed }: ReviewScreenState, screen: Screen): string[] {
  const title = closed === undefined ? 'WHAT YOU ARE DECIDING' : 'WHAT WAS DECIDED ON';
  return [
    screen.heading(title),
    ...(closed === undefined ? [] : screen.text(closed, 2, 'warn')),
    ...screen.text(pack.effect.text, 2),
    ...formatCostLines(pack, screen),
  ];
}

function formatCostLines(pack: ReviewPack, screen: Screen): string[] {
  const { spentUsd, uncertainUsd, budgetUsd } = pack.effect;
  const line = `${stillToPayText(pack.effect)}; spent ${paidText({ usd: spentUsd, uncertainUsd })} of ${formatUsd(budgetUsd)}.`;
  return isOverBudget(pack) ? screen.text(`${line} This would pass the cap.`, 2, 'bad') : screen.text(line, 2, 'dim');
}

function formatEdit({ edit }: ReviewScreenState, screen: Screen): string[] {
  if (edit === undefined) return [];
  return [
    screen.heading(`EDITED BY ${edit.by}`, ['warn', 'the edited design is what you decide on']),
    ...edit.rules.flatMap((change) => formatRuleChange(change, undefined, screen)),
    ...edit.format.flatMap((line) => screen.item(['warn', '  ~ '], `format: ${line}`)),
  ];
}

function formatChanges(pack: ReviewPack, { read }: ReviewScreenState, screen: Screen): string[] {
  if (pack.since.round === null) return formatFirstDesign(pack, screen);
  return [
    screen.heading(formatSinceTitle({ ...pack.since, ...read }).toUpperCase(), ['dim', changesText(pack)]),
    ...pack.since.rules.flatMap((change) => formatRuleChange(change, pack, screen)),
    ...pack.since.format.flatMap((line) => screen.item(['warn', '  ~ '], `format: ${line}`)),
    ...(pack.summary.trim() === '' ? [] : [screen.heading('THE AGENT’S SUMMARY'), ...screen.text(pack.summary, 2)]),
  ];
}

function formatFirstDesign(pack: ReviewPack, screen: Screen): string[] {
  const marks = new Map(pack.since.rules.map((change) => [change.id, `${ruleMark(change)} `]));
  return [
    screen.heading('THE DESIGN', ['dim', `${formatCount(pack.rules.length, 'rule')}; whole text in ${pack.designDir}`]),
    ...screen.text(pack.summary, 2),
    ...(pack.since.rules.length === 0
      ? []
      : [
          screen.heading('CHANGED SINCE THE LAST ROUND', ['dim', 'nobody has approved a design yet']),
          ...pack.since.rules.flatMap((change) => formatRuleChange(change, undefined, screen)),
          screen.heading('ALL RULES'),
        ]),
    ...pack.rules.flatMap(({ id, severity, title, text }) =>
      screen
        .item(['accent', `  ${marks.get(id) ?? ''}${id} `], `${title} (${severity}): ${text}`)
        .concat(formatRuleCases(id, pack, screen), formatCoverage(pack, id, screen)),
    ),
    ...formatCaseReadings(pack, screen),
  ];
}

function formatCoverage(pack: ReviewPack, id: string, screen: Screen): string[] {
  const covered = coverageText(pack, id);
  if (covered === undefined) return [];
  return screen.item(['dim', '      '], covered);
}

const MARKS = { added: 'good', removed: 'bad', changed: 'warn' } as const;

function formatRuleChange(change: RuleChange, pack: ReviewPack | undefined, screen: Screen): string[] {
  return [
    ...screen.item([MARKS[change.kind], `  ${ruleMark(change)} `], `${change.id} ${change.title} (${change.kind})`),
    ...(change.before === undefined ? [] : screen.item(['bad', '      − '], change.before)),
    ...(change.after === undefined ? [] : screen.item(['good', '      + '], change.after)),
    ...(change.reason === undefined ? [] : screen.item(['dim', '      because '], change.reason)),
    ...(change.evidence.length === 0 ? [] : screen.item(['dim', '      shown by '], change.evidence.join(', '))),
    ...(pack === undefined || change.kind === 'removed' ? [] : formatCoverage(pack, change.id, screen)),
  ];
}

function formatKeysRow({ keys = KEYS }: ReviewScreenState, { columns, paint }: Screen): string[] {
  if (keys.length === 0) return [];
  const spans = keys.flatMap(([key, does]): Span[] => [['accent', `[${key}]`], ` ${does}  `]);
  return ['', formatRow(spans, columns, paint)];
}

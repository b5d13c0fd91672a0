/** The one-minute screen of a gate on a terminal: what is decided, why, what changed, what is not in order. */
import type { ReviewPack, RuleChange } from '../../gate/rules/review-pack.ts';
import { stillToPayText } from '../text/forecast-text.ts';
import { count, duration, paidText, shortDigest, usd } from '../text/number-format.ts';
import { createPaint, justified, row, type Span, type TerminalSize } from '../text/terminal-colors.ts';
import { changesText, coverageText, overBudget, ruleMark, sinceHeading, type SinceDecision } from './review-texts.ts';
import type { GateComment } from '../../run/exchanges.ts';
import { cases, casesOf, checks, comments, prompt, questions, said, sources } from './terminal-record.ts';
import { createScreen, type Screen } from './terminal-screen.ts';

/** What the screen shows in addition to the frozen pack; no `keys` row is shown when the list is empty. */
export type ReviewMoment = {
  waitingMs?: number;
  expiresAt?: string;
  /** Set when `since` of the pack was made for this reader. */
  read?: SinceDecision;
  /** Others who approved so far, and how many more must. */
  standing?: string;
  /** Another reviewer's edit of the design, which is what is decided on. */
  edit?: { by: string; rules: readonly RuleChange[]; format: readonly string[] };
  /** By agents from outside and colleagues. */
  said?: readonly GateComment[];
  /** Set when it does not wait: who answered it and how, or why not. */
  closed?: string;
  keys?: readonly (readonly [key: string, does: string])[];
  /** A prompt follows: what is decided comes last, because the end of a long text is what its reader sees. */
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
  moment: ReviewMoment = {},
): string[] {
  const screen = createScreen(Math.max(1, Math.floor(columns) || 1), createPaint(color));
  return [
    ...opening(pack, moment, screen),
    ...(moment.standing === undefined ? [] : screen.text(moment.standing, 0, 'warn')),
    ...(moment.prompt === true ? [] : deciding(pack, moment, screen)),
    screen.heading(pack.round === 1 ? 'WHY NOW' : `WHY ROUND ${pack.round}`),
    ...screen.text(pack.why.text, 2),
    ...pack.why.evidence.flatMap(({ text, path }) => screen.item(['dim', '  · '], `${text} (${path})`)),
    ...edited(moment, screen),
    ...since(pack, moment, screen),
    ...comments(pack, screen),
    ...said(moment.said, screen),
    ...checks(pack, screen),
    ...cases(pack, screen),
    ...sources(pack, screen),
    ...prompt(pack, screen),
    ...questions(pack, screen),
    ...(moment.prompt === true ? deciding(pack, moment, screen) : []),
    ...keysRow(moment, screen),
  ];
}

function opening(pack: ReviewPack, { waitingMs, expiresAt }: ReviewMoment, { columns, paint }: Screen): string[] {
  const times = [
    ...(waitingMs === undefined ? [] : [`waiting ${duration(waitingMs)}`]),
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
    justified({ left: [...left, ...simulated], right: [['dim', times.join(' · ')]] }, columns, paint),
    row([['dim', `${pack.title} · run ${pack.run}`]], columns, paint),
  ];
}

function deciding(pack: ReviewPack, { closed }: ReviewMoment, screen: Screen): string[] {
  const title = closed === undefined ? 'WHAT YOU ARE DECIDING' : 'WHAT WAS DECIDED ON';
  return [
    screen.heading(title),
    ...(closed === undefined ? [] : screen.text(closed, 2, 'warn')),
    ...screen.text(pack.effect.text, 2),
    ...money(pack, screen),
  ];
}

function money(pack: ReviewPack, screen: Screen): string[] {
  const { spentUsd, uncertainUsd, budgetUsd } = pack.effect;
  const line = `${stillToPayText(pack.effect)}; spent ${paidText({ usd: spentUsd, uncertainUsd })} of ${usd(budgetUsd)}.`;
  return overBudget(pack) ? screen.text(`${line} This would pass the cap.`, 2, 'bad') : screen.text(line, 2, 'dim');
}

function edited({ edit }: ReviewMoment, screen: Screen): string[] {
  if (edit === undefined) return [];
  return [
    screen.heading(`EDITED BY ${edit.by}`, ['warn', 'the edited design is what you decide on']),
    ...edit.rules.flatMap((change) => ruleChange(change, undefined, screen)),
    ...edit.format.flatMap((line) => screen.item(['warn', '  ~ '], `format: ${line}`)),
  ];
}

function since(pack: ReviewPack, { read }: ReviewMoment, screen: Screen): string[] {
  const title = sinceHeading(pack, read);
  if (pack.since.round === null && pack.since.rules.length === 0) return firstDesign(pack, screen);
  return [
    screen.heading(title, ['dim', changesText(pack)]),
    ...pack.since.rules.flatMap((change) => ruleChange(change, pack, screen)),
    ...pack.since.format.flatMap((line) => screen.item(['warn', '  ~ '], `format: ${line}`)),
    ...(pack.summary.trim() === '' ? [] : [screen.heading('THE AGENT’S SUMMARY'), ...screen.text(pack.summary, 2)]),
  ];
}

function firstDesign(pack: ReviewPack, screen: Screen): string[] {
  return [
    screen.heading('THE DESIGN', ['dim', `${count(pack.rules.length, 'rule')}; whole text in ${pack.designDir}`]),
    ...screen.text(pack.summary, 2),
    ...pack.rules.flatMap(({ id, severity, title, text }) =>
      screen
        .item(['accent', `  ${id} `], `${title} (${severity}): ${text}`)
        .concat(casesOf(id, pack, screen), coverage(pack, id, screen)),
    ),
  ];
}

function coverage(pack: ReviewPack, id: string, screen: Screen): string[] {
  const covered = coverageText(pack, id);
  if (covered === undefined) return [];
  const { text, noRefusal } = covered;
  return screen.item(
    noRefusal ? ['warn', '      '] : ['dim', '      '],
    noRefusal ? `${text}; ! no negative sample` : text,
  );
}

const MARKS = { added: 'good', removed: 'bad', changed: 'warn' } as const;

function ruleChange(change: RuleChange, pack: ReviewPack | undefined, screen: Screen): string[] {
  return [
    ...screen.item([MARKS[change.kind], `  ${ruleMark(change)} `], `${change.id} ${change.title} (${change.kind})`),
    ...(change.before === undefined ? [] : screen.item(['bad', '      − '], change.before)),
    ...(change.after === undefined ? [] : screen.item(['good', '      + '], change.after)),
    ...(change.reason === undefined ? [] : screen.item(['dim', '      because '], change.reason)),
    ...(change.evidence.length === 0 ? [] : screen.item(['dim', '      shown by '], change.evidence.join(', '))),
    ...(pack === undefined || change.kind === 'removed' ? [] : coverage(pack, change.id, screen)),
  ];
}

function keysRow({ keys = KEYS }: ReviewMoment, { columns, paint }: Screen): string[] {
  if (keys.length === 0) return [];
  const spans = keys.flatMap(([key, does]): Span[] => [['accent', `[${key}]`], ` ${does}  `]);
  return ['', row(spans, columns, paint)];
}

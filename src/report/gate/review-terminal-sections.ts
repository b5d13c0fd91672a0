/** The end of a gate's screen: earlier comments, checks, the case table, sources, the subject's prompt, questions. */
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { capitalizeFirst } from '../text/number-format.ts';
import {
  casesText,
  describeAccount,
  describeGateComment,
  describeOutcome,
  overText,
  reachedText,
  listLeftOut,
  listUncovered,
  sectionsText,
} from './review-texts.ts';
import type { GateComment } from '../../run/exchanges.ts';
import type { Screen } from './terminal-screen.ts';

export function formatComments({ comments: list }: ReviewPack, screen: Screen): string[] {
  if (list.length === 0) return [];
  const open = list.filter(({ addressed }) => !addressed).length;
  return [
    screen.heading('COMMENTS SO FAR', open === 0 ? ['good', 'all addressed'] : ['warn', `${open} NOT addressed`]),
    ...list.flatMap(({ text, actor, gate, detail, ...outcome }) => [
      ...screen.item(outcome.addressed ? ['good', '  ✓ '] : ['warn', '  ! '], `“${text}” ${actor} at ${gate}`),
      ...screen.text(`${describeOutcome(outcome)}${detail === '' ? '' : `: ${detail}`}`, 4, 'dim'),
    ]),
  ];
}

export function formatGateComments(list: readonly GateComment[] = [], screen: Screen): string[] {
  if (list.length === 0) return [];
  return [
    screen.heading('SAID AT THIS GATE', ['dim', 'decides nothing']),
    ...list.flatMap((one) => screen.item(['warn', '  > '], describeGateComment(one))),
  ];
}

export function formatChecks({ checks: list }: ReviewPack, screen: Screen): string[] {
  if (list.length === 0) return [];
  const failed = list.filter(({ ok }) => !ok);
  const fine = list
    .filter(({ ok, skipped }) => ok && skipped === undefined)
    .map(({ name, detail }) => (detail === '' ? name : `${name} (${detail})`));
  const skipped = list.filter((one) => one.skipped === true);
  return [
    screen.heading(
      'CHECKS',
      failed.length === 0 ? ['good', 'all in order'] : ['bad', `${failed.length} of ${list.length} failed`],
    ),
    ...failed.flatMap(({ name, detail }) =>
      screen.item(['bad', '  ! '], `${capitalizeFirst(detail)} (not so: ${name})`),
    ),
    ...skipped.flatMap(({ name, detail }) => screen.item(['dim', '  – '], `${name}: ${detail}`)),
    ...(fine.length === 0 ? [] : screen.item(['good', '  ✓ '], fine.join(' · '))),
  ];
}

/** Lists the faults of the case table; the demands of each rule are shown with the rule. */
export function formatCases({ cases: table }: ReviewPack, screen: Screen): string[] {
  if (table === undefined) return [];
  const reached = reachedText(table);
  return [
    screen.heading('CASES', ['dim', casesText(table)]),
    ...(reached === undefined ? [] : screen.text(reached, 2, 'dim')),
    ...table.findings.flatMap(({ kind, text, example }) => [
      ...screen.item(
        [kind === 'subsumed' ? 'dim' : 'bad', `  ${kind === 'subsumed' ? '~' : '!'} `],
        `${kind}: ${text}`,
      ),
      ...(example === undefined ? [] : screen.text(`for example ${example}`, 4, 'dim')),
    ]),
  ];
}

/** Lists the sections of the sources that have no rule, with their lines. */
export function formatSources(pack: ReviewPack, screen: Screen): string[] {
  const text = sectionsText(pack);
  if (text === undefined) return [];
  return [
    screen.heading('SOURCES', ['dim', text]),
    ...listUncovered(pack).flatMap(({ file, sections, whole }) =>
      screen.item(
        ['dim', '  · '],
        `${file}: ${whole ?? sections.map(({ line, title }) => `line ${line} ${title}`).join(' · ')}`,
      ),
    ),
    ...listLeftOut(pack).flatMap((one) => screen.item(['warn', '  ! '], describeAccount(one))),
  ];
}

export function formatQuestions({ questions: list }: ReviewPack, screen: Screen): string[] {
  if (list.length === 0) return [];
  return [
    screen.heading('QUESTIONS FOR YOU', ['dim', 'answer in your comment']),
    ...list.flatMap((question, index) => screen.item(['accent', `  Q${index + 1} `], question)),
  ];
}

/** Lists the cases of a rule, and what the rule demands of them. */
export function formatRuleCases(id: string, { cases: table }: ReviewPack, screen: Screen): string[] {
  const rule = table?.rules.find((one) => one.id === id);
  return (rule?.lines ?? []).flatMap(({ when, demands }, index) =>
    screen.item(['dim', '      '], `${when} → ${demands}${index === 0 ? overText(rule?.over ?? []) : ''}`),
  );
}

/** Says once, for all rules, where code reads what they demand. */
export function formatCaseReadings({ cases: table }: ReviewPack, screen: Screen): string[] {
  if (table?.readings === undefined) return [];
  return [screen.heading('WHAT COUNTS AS DONE'), ...table.readings.flatMap((one) => screen.item(['dim', '  · '], one))];
}

/** Maximum number of shown lines; the rest is in the file. */
const MOST_LINES = 60;

/** Shows the whole prompt of a first design, and only the changed lines later. */
export function formatSubjectPrompt({ prompt: whole, since }: ReviewPack, screen: Screen): string[] {
  const heading = screen.heading("THE SUBJECT'S PROMPT");
  if (since.round === null)
    return whole === undefined ? [] : [heading, ...formatPromptLines(whole.split('\n'), screen, '  ')];
  if (since.prompt === undefined) return [];
  const [before, after] = [since.prompt.before.split('\n'), since.prompt.after.split('\n')];
  return [
    heading,
    ...formatPromptLines(excludeLines(before, after), screen, '  − '),
    ...formatPromptLines(excludeLines(after, before), screen, '  + '),
  ];
}

function excludeLines(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => line.trim() !== '' && !known.has(line));
}

function formatPromptLines(lines: readonly string[], screen: Screen, mark: string): string[] {
  const left = lines.length - MOST_LINES;
  const style = mark.includes('+') ? 'good' : mark.includes('−') ? 'bad' : 'dim';
  return [
    ...lines.slice(0, MOST_LINES).flatMap((line) => screen.item([style, mark], line)),
    ...(left > 0 ? screen.text(`… and ${left} lines more, in format_spec.yaml`, 2, 'dim') : []),
  ];
}

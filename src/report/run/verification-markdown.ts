/** Formats what was proved without a model, and what was not: problems, proofs per sample, coverage per rule, notes. */
import type { CaseCoverage } from '../../scenario/cases/case-coverage.ts';
import { listRuleJudges } from '../../scenario/unproven-rules.ts';
import type { Results, Verification } from '../../scenario/result.ts';
import type { Finding, ProofStrength, Share } from '../../scenario/proof-strength.ts';
import { formatCount, formatUsd } from '../text/number-format.ts';
import { markdownCode, markdownTable, markdownText, tableMarkdown, type ReportTable } from '../text/markdown.ts';
import { clipText } from '../text/sanitise.ts';
import { shareText, strengthSentence, unmeasuredText, weakestFirst } from './strength-texts.ts';

/** Summarises a proof; an unproven rule about consent forbids saying "every component". */
export function provedText({ ok, problems, words = [] }: Pick<Verification, 'ok' | 'problems' | 'words'>): string {
  const open = describeUnproven({ words });
  if (!ok) return `${formatCount(problems.length, 'problem')} found.`;
  return open === undefined ? 'Every component proved itself.' : `Nothing failed its proof, but ${open}.`;
}

/** Says what was proved and how strongly, in one or two sentences. */
export function describeProof(verification: Verification): string {
  const { strength } = verification;
  if (strength === undefined) return provedText(verification);
  const left = unmeasuredText(strength);
  return `${provedText(verification)} Strength of the proof ${strengthSentence(strength)}.${left === undefined ? '' : ` ${left}.`}`;
}

/** Names the rules about consent that no proof covers; undefined when all are proven. */
export function describeUnproven({ words = [] }: Pick<Verification, 'words'>): string | undefined {
  const rules = words.filter(({ proven }) => !proven).map(({ rule }) => rule);
  if (rules.length === 0) return undefined;
  return `${rules.join(', ')} ${rules.length === 1 ? 'is' : 'are'} not proven: nothing shows that anybody listens to the user`;
}

export function verificationMarkdown(verification: Verification): string[] {
  const { problems, remarks = [], proofs, words = [], coverage, cases, strength, graders = [] } = verification;
  const yes = (held: boolean) => (held ? 'yes' : '**NO**');
  return [
    '## Verified without a model',
    provedText(verification),
    ...(problems.length === 0 ? [] : [problemsMarkdown(problems)]),
    ...(remarks.length === 0 ? [] : ['Doubtful, though it refuses nothing:', problemsMarkdown(remarks)]),
    ...formatTableUnlessEmpty(
      ['sample', 'gold passes', 'doing nothing fails', 'wrong path fails', 'mutants fail'],
      proofs.map(({ sample, gold, nothing, wrong, mutants }) => [
        markdownCode(sample),
        ...[gold, nothing, wrong, mutants].map(yes),
      ]),
    ),
    ...formatTableUnlessEmpty(
      ['rule about consent', 'proven', 'how'],
      words.map(({ rule, proven, why }) => [markdownCode(rule), yes(proven), markdownText(clipText(why, 600))]),
    ),
    ...formatTableUnlessEmpty(
      ['grader', 'asked by its proof', 'judged right', 'not tried', 'cost'],
      graders.map(({ id, cases, untried, costUsd }) => [
        markdownCode(id),
        String(cases.length),
        String(cases.filter(({ wanted, got }) => got === wanted || (wanted === 'either' && got !== 'void')).length),
        String(untried),
        formatUsd(costUsd),
      ]),
    ),
    ...(Object.keys(coverage).length === 0 ? [] : [coverageMarkdown(verification)]),
    ...(cases === undefined ? [] : casesMarkdown(cases)),
    ...(strength === undefined ? [] : strengthMarkdown(strength)),
  ];
}

function formatTableUnlessEmpty(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [markdownTable(head, rows)];
}

function coverageMarkdown({ coverage, judges }: Verification): string {
  const ids = (list: readonly string[]) => list.map(markdownCode).join(', ') || 'none';
  const by = listRuleJudges({ coverage, judges });
  return markdownTable(
    ['rule', 'samples', 'checkers', 'judged by'],
    Object.entries(coverage).map(([rule, { samples, checkers, graders = [] }]) => [
      markdownCode(rule),
      ids(samples),
      ids([...checkers, ...graders.map((id) => `${id} (grader)`)]),
      describeJudges(by[rule]).replace(/^nobody$/, '**nobody**'),
    ]),
  );
}

/** Returns for example `table (in part) · checker`, or `nobody`. */
export function describeJudges(by: readonly string[] | undefined): string {
  return by === undefined || by.length === 0 ? 'nobody' : by.join(' · ');
}

/** Lists the cases without a sample; the case table itself is at the gate and in the design. */
function casesMarkdown({ rules, pairs, missingPairs, boundaries, missingBoundaries }: CaseCoverage): string[] {
  const without = Object.keys(rules).filter((id) => rules[id]?.length === 0);
  const list = (title: string, all: readonly string[]) =>
    all.length === 0
      ? []
      : [
          `<details><summary>${title}</summary>\n\n${all.map((one) => `- ${markdownText(one)}`).join('\n')}\n\n</details>`,
        ];
  return [
    `### Cases`,
    `The samples reach ${pairs.reached} of ${pairs.total} pairs of values and ${boundaries.reached} of ${boundaries.total} sides of boundaries. ${without.length === 0 ? 'Every rule speaks of some sample.' : `No sample is a case of ${without.map(markdownCode).join(', ')}.`}`,
    ...list('Sides of boundaries without a sample', missingBoundaries),
    ...list('Pairs of values without a sample', missingPairs),
  ];
}

function problemsMarkdown(problems: Verification['problems']): string {
  return markdownTable(
    ['layer', 'component', 'problem', 'sample', 'what was found'],
    problems.map(({ layer, component, code, sample, message }) => [
      String(layer),
      markdownCode(component),
      markdownCode(code),
      sample === undefined ? '' : markdownCode(sample),
      markdownText(clipText(message, 1000)),
    ]),
  );
}

const MOST_LISTED = 40;

/** Formats the strength of a proof: numbers by rule and tool, surviving faults, and findings to look at. */
function strengthMarkdown(strength: ProofStrength): string[] {
  const { rules, tools, survivors, survived, findings, regressions = [] } = strength;
  const left = unmeasuredText(strength);
  return [
    '### Strength of the proof',
    `**${strengthSentence(strength)}.**`,
    ...(left === undefined ? [] : [markdownText(`${left}.`)]),
    ...(regressions.length === 0 ? [] : ['**Weaker than before:**', tableMarkdown(findingsTable(regressions))]),
    ...(findings.length === 0
      ? []
      : ['To look at, though it refuses nothing:', tableMarkdown(findingsTable(findings))]),
    sharesTable('rule', rules),
    sharesTable('tool', tools),
    ...(survivors.length === 0
      ? []
      : [
          `No sample covers these lines (${Math.min(survivors.length, MOST_LISTED)} of ${survived}):`,
          survivors
            .slice(0, MOST_LISTED)
            .map(({ message }) => `- ${markdownText(clipText(message, 300))}`)
            .join('\n'),
        ]),
  ];
}

function sharesTable(name: string, shares: Readonly<Record<string, Share>>): string {
  return markdownTable(
    [name, 'strength'],
    weakestFirst(shares).map(([id, share]) => [markdownCode(id), shareText(share)]),
  );
}

/** Lists what the proof found worth a look though it refuses nothing, the same in Markdown and HTML. */
export function findingsTable(findings: readonly Finding[]): ReportTable {
  return {
    label: 'To look at, though it refuses nothing',
    head: ['component', 'finding', 'what was found'],
    rows: findings
      .slice(0, MOST_LISTED)
      .map(({ component, code, message }) => [{ code: component }, { code }, { text: clipText(message, 600) }]),
  };
}

type UnprovenNote = { tone: 'warn'; title: string; text: string; about?: string };

/** Older results name the rules about consent that no proof covers, and their target was met without it. */
export function listUnprovenNotes(results: Results): UnprovenNote[] {
  const { unproven = [], verification } = results;
  const warn = { tone: 'warn' as const, title: 'NOT PROVEN' };
  const earlier = results.unproven === undefined ? describeUnproven(verification) : undefined;
  const open = unproven.filter(({ allowed }) => allowed === undefined);
  const allowed = unproven.filter((one) => one.allowed !== undefined);
  const list = (some: typeof unproven) => some.map(({ rule, why }) => `${rule}: ${why}`).join('; ');
  const names = (some: typeof unproven) => some.map(({ rule }) => rule).join(', ');
  const reasons = allowed.map((one) => `${one.rule} (${one.allowed})`).join(', ');
  const notes: UnprovenNote[] = earlier === undefined ? [] : [{ ...warn, text: `${earlier}.` }];
  if (open.length > 0) {
    const text = `${list(open)}. No target is met without a proof of every rule. A person may take one as it is, by its name and a reason: unproven: { ${open[0]?.rule}: why } in scenario.yaml.`;
    notes.push({ ...warn, about: names(open), text });
  }
  if (allowed.length > 0) {
    const text = `${list(allowed)}. scenario.yaml takes ${reasons} without a proof.`;
    notes.push({ ...warn, title: 'NOT PROVEN, ALLOWED', about: names(allowed), text });
  }
  return notes;
}

/** Says that false statements may have passed, because no model has read them. */
export function statementsNote({ samples }: Results): UnprovenNote | undefined {
  const unread = samples.flatMap(({ trials }) => trials.filter(({ statementsUnread }) => statementsUnread === true));
  if (unread.length === 0) return undefined;
  const text = `Code alone has read what the agent said in ${formatCount(unread.length, 'trial')}, because no model that reads statements answered: what code cannot judge is not judged, and one that is untrue may have passed.`;
  return { tone: 'warn', title: 'STATEMENTS UNREAD', text };
}

/** Checks for what a design leaves out and its sources name; Init may say of each gap why it is none. */
import type { LeftOut } from '../../../scenario/handoff.ts';
import type { BusinessRules, FormatSpec } from '../../../scenario/design.ts';
import { toPlainWords } from '../../../scenario/language/fold-text.ts';
import type { DesignCheck } from '../design-checks.ts';
import type { SourceText } from '../find-quote.ts';
import type { DesignGap } from './design-gap.ts';
import { accountFor, listPolicies } from './account-for.ts';
import { findOpenCaps } from './find-open-caps.ts';
import { findPartialPrecedence } from './find-partial-precedence.ts';
import { findUndemanded, findUnguarded } from './find-unguarded.ts';
import { findUnlisted } from './find-unlisted.ts';
import { findUntoldItems } from './find-untold-items.ts';

export function gapChecks(
  {
    rules: { rules },
    format,
    leftOut = [],
  }: { rules: BusinessRules; format: FormatSpec; leftOut?: readonly LeftOut[] },
  sources: readonly SourceText[],
): DesignCheck[] {
  const { cases } = format;
  if (cases === undefined) return [];
  const design = { ...format, cases };
  const prose = sources.filter(({ path }) => !/\.(ya?ml|jsonl?|csv|tsv)$/i.test(path));
  const account = accountFor(design, rules, prose);
  const policies = listPolicies(prose, account);
  // Few designs have such rules, and a check that passes is one more to read.
  const partial = findPartialPrecedence(design, rules);
  return [
    createGapCheck(
      'what the sources list is among the cases',
      [...findUnlisted(cases, prose, { account, policies }), ...findUntoldItems(rules, prose, account)],
      leftOut,
    ),
    createGapCheck(
      'the table has the case in which a condition is not met',
      [...findUnguarded(design, rules), ...findUndemanded(cases, rules, policies)],
      leftOut,
    ),
    createGapCheck('a limit of money says what it is for', findOpenCaps(design, rules, sources), leftOut),
    ...(partial.length === 0
      ? []
      : [createGapCheck('a rule that goes before another leaves nothing of it open', partial, leftOut)]),
  ];
}

const OF_ORDER = /\bR\d+ over R\d+\b/;

function createGapCheck(name: string, gaps: readonly DesignGap[], leftOut: readonly LeftOut[]): DesignCheck {
  const reasons = gaps.map((gap) => leftOut.find(({ what }) => isAbout(what, gap)));
  const open = gaps.filter((_, at) => reasons[at] === undefined);
  const explained = gaps.flatMap((gap, at) => {
    const reason = reasons[at];
    return reason === undefined ? [] : [`${gap.name}: left out, because ${reason.why}`];
  });
  const detail = [...open.map(({ text }) => text), ...explained].join(' · ');
  return { name, ok: open.length === 0, detail: detail === '' ? 'nothing is missing' : detail };
}

function isAbout(what: string, { name }: DesignGap): boolean {
  // The name of an order holds those of two rules, and its reason is none for a gap of theirs.
  if (OF_ORDER.test(what) !== OF_ORDER.test(name)) return false;
  const [said, own] = [what, name].map((text) => ` ${toPlainWords(text)} `);
  return said !== undefined && own !== undefined && (said.includes(own) || own.includes(said)) && said.trim() !== '';
}

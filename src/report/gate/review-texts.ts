/** Sentences of a review that terminal and Markdown share. */
import type { AccountedText, ReviewPack, RuleChange } from '../../gate/rules/review-pack.ts';
import type { GateComment } from '../../run/exchanges.ts';
import { isWithoutRule } from '../../gate/rules/source-sections.ts';
import { formatCount } from '../text/number-format.ts';

/** True when the middle estimate of the forecast would exceed the run's cap. */
export function isOverBudget({ effect }: ReviewPack): boolean {
  return effect.spentUsd + (effect.uncertainUsd ?? 0) + effect.estimateUsd > effect.budgetUsd;
}

/** Whether the compared design was decided by this reader, and whether the reader asked for changes. */
export type SinceDecision = { mine: boolean; asked: boolean };

export function formatSinceTitle({
  round,
  mine,
  asked,
}: Pick<ReviewPack['since'], 'round'> & Partial<SinceDecision>): string {
  if (asked === true) return `Since you asked for changes of round ${round}`;
  return mine === true ? `Since you approved round ${round}` : `Since round ${round} was approved`;
}

const MOST_NAMES = 4;

/** Says what tested a rule in the newest iteration; undefined before there was one. */
export function coverageText({ coverage }: Pick<ReviewPack, 'coverage'>, id: string): string | undefined {
  if (coverage === undefined) return undefined;
  const rule = coverage.rules.find((one) => one.id === id);
  if (rule === undefined || rule.samples.length === 0) return `not tested in iteration ${coverage.iteration}`;
  const samples = `${formatCount(rule.samples.length, 'sample')} (${joinNames(rule.samples)})`;
  const { length } = rule.checkers;
  const checkers = length === 0 ? 'no checker' : `${formatCount(length, 'checker')} (${joinNames(rule.checkers)})`;
  const judges = rule.table === true ? ['the approved table', ...(length === 0 ? [] : [checkers])] : [checkers];
  const { strength } = rule;
  const noticed = strength === undefined ? '' : `; ${strength.caught} of ${strength.total} seeded faults are noticed`;
  return `tested by ${[samples, ...judges].join(' and ')}${noticed}`;
}

function joinNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Returns for example `2 rules changed, 1 added; format unchanged`. */
export function changesText({ since }: ReviewPack): string {
  const of = (kind: RuleChange['kind']) => since.rules.filter((change) => change.kind === kind).length;
  const format =
    since.format.length === 0
      ? 'format unchanged'
      : formatCount(since.format.length, 'change of format', 'changes of format');
  const kinds = (['changed', 'added', 'removed'] as const).filter((kind) => of(kind) > 0);
  const rules = kinds.map((kind, index) => `${index === 0 ? formatCount(of(kind), 'rule') : of(kind)} ${kind}`);
  return `${rules.join(', ') || 'no rule changed'}; ${format}`;
}

/** Describes a design in a list of gates: the changes since the last approval, or how much there is to read. */
export function designText(pack: ReviewPack): string {
  if (pack.since.round !== null) return changesText(pack);
  const rules = formatCount(pack.rules.length, 'rule');
  return pack.round === 1 ? `first design, ${rules}` : `${rules}, no design approved yet`;
}

export function ruleMark({ kind }: RuleChange): string {
  return { added: '+', removed: '−', changed: '~' }[kind];
}

/** Counts the faults of the case table: `1 conflict, 0 gaps`. */
export function casesText({ findings }: NonNullable<ReviewPack['cases']>): string {
  const of = (kind: string) => findings.filter((one) => one.kind === kind).length;
  return `${formatCount(of('conflict'), 'conflict')}, ${formatCount(of('gap'), 'gap')}`;
}

/** Says how many cases the samples reach; undefined before the first iteration. */
export function reachedText({ reached }: NonNullable<ReviewPack['cases']>): string | undefined {
  if (reached === undefined) return undefined;
  const { pairs, boundaries } = reached;
  return `The samples reach ${pairs.reached} of ${pairs.total} pairs of values and ${boundaries.reached} of ${boundaries.total} sides of boundaries.`;
}

export function overText(over: readonly string[]): string {
  return over.length === 0 ? '' : `; goes before ${over.join(', ')}`;
}

/** Says how many sections have no rule; undefined without sources and in packs that did not look. */
export function sectionsText({ sources = [] }: Pick<ReviewPack, 'sources'>): string | undefined {
  const sections = sources.flatMap((source) => source.sections);
  if (sections.length === 0) return undefined;
  const bare = sections.filter(({ rules }) => rules.length === 0).length;
  return bare === 0
    ? 'every section of the sources has a rule'
    : `${bare} of ${formatCount(sections.length, 'section')} of the sources ${bare === 1 ? 'has' : 'have'} no rule`;
}

/** Quotes a sentence of the brief, and says what Init made of it. */
export function describeAccount({ text, by, none, why, doubt }: AccountedText): string {
  const carried = [by.join(', '), none?.replace('_', ' '), why, doubt];
  return `“${text}” ${carried.filter((part) => part !== undefined && part !== '').join(': ')}`;
}

/** Lists what Init left out of the design on purpose, which is for the reviewer to agree with. */
export const listLeftOut = ({ accounts = [] }: ReviewPack): AccountedText[] =>
  accounts.filter(({ none }) => none === 'left_out');

/** Lists each source's sections without a rule. `whole` is set when no rule comes from the file. */
export function listUncovered({ sources = [] }: Pick<ReviewPack, 'sources'>): UncoveredSource[] {
  return sources
    .map((source) => ({
      file: source.file,
      sections: source.sections.filter(({ rules }) => rules.length === 0),
      ...(isWithoutRule(source) ? { whole: `none of its ${source.sections.length} sections` } : {}),
    }))
    .filter(({ sections }) => sections.length > 0);
}

type UncoveredSource = NonNullable<ReviewPack['sources']>[number] & { whole?: string };

/** Quotes a comment at a gate with its author, or says to whom the author handed the gate. */
export function describeGateComment({ actor, comment, to }: GateComment): string {
  const words = comment === '' ? '' : `“${comment}”`;
  return to === undefined ? `${words} ${actor}` : `${actor} handed this gate to user:${to}. ${words}`.trim();
}

/** Says what became of a comment of an earlier round. */
export function describeOutcome({
  addressed,
  kept,
  note,
}: Pick<ReviewPack['comments'][number], 'addressed' | 'kept' | 'note'>): string {
  if (note === true) return 'note';
  if (kept === true) return 'kept as it was';
  return addressed ? 'addressed' : 'NOT addressed';
}

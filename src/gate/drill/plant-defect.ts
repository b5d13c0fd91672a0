/** Plants one defect in a copy of an approved design, such as a reviewer must notice. */
import { buildTable } from '../../scenario/cases/case-table.ts';
import { longOutcome, toArray, type Cases, type CaseValue, type RuleLine } from '../../scenario/cases/cases.ts';
import { findTableFaults } from '../../scenario/cases/find-table-faults.ts';
import type { BusinessRule, BusinessRules, FormatSpec } from '../../scenario/design.ts';

export const DEFECT_KINDS = ['conflict', 'missing_rule', 'changed_quote', 'weakened_checker'] as const;
export type DefectKind = (typeof DEFECT_KINDS)[number];

/** The defect; `rule` is the rule as it was approved, and `rules` are all ids by which a reviewer may name the defect. */
export type Defect = { kind: DefectKind; rule: BusinessRule; rules: string[]; text: string };

type DesignRules = { rules: BusinessRules; format: FormatSpec };
export type PlantedDesign = DesignRules & { defect: Defect };

/** Lists the designs with one defect of this kind, each with another rule; the caller picks one by chance. */
export function listPlantings(design: DesignRules, kind: DefectKind): PlantedDesign[] {
  return design.rules.rules.flatMap((rule) => PLANT[kind](rule, design) ?? []);
}

type Plant = (rule: BusinessRule, design: DesignRules) => PlantedDesign | undefined;

const PLANT: Readonly<Record<DefectKind, Plant>> = {
  missing_rule: (rule, design) => {
    const left = design.rules.rules.filter(({ id }) => id !== rule.id);
    if (rule.severity !== 'must' || left.length === 0) return undefined;
    const rules = left.map(({ over, ...other }) =>
      over === undefined ? other : { ...other, over: over.filter((id) => id !== rule.id) },
    );
    const prompt = dropParagraph(design.format.subject_prompt, rule.id);
    const format = { ...design.format, subject_prompt: prompt };
    const text = `${rule.id} was taken out: “${rule.text.trim()}”`;
    const defect = { kind: 'missing_rule' as const, rule, rules: [rule.id], text };
    return { rules: { ...design.rules, rules }, format, defect };
  },
  changed_quote: (rule, design) => {
    const quote = rule.quote === undefined ? undefined : changeQuote(rule.quote);
    if (quote === undefined) return undefined;
    const text = `The quote of ${rule.id} was changed to “${quote}” The source says “${rule.quote}”`;
    return withRule(design, { ...rule, quote }, { kind: 'changed_quote', rule, rules: [rule.id], text });
  },
  weakened_checker: (rule, design) => {
    const changed = changeDemand(rule, design, (values) => values);
    if (changed === undefined) return undefined;
    const text = `What ${rule.id} demands was widened: ${changed.outcome} may now have any value, so nothing can break the rule`;
    return withRule(design, changed.rule, { kind: 'weakened_checker', rule, rules: [rule.id], text });
  },
  conflict: (rule, design) => {
    const { over: _over, ...equal } = rule;
    const other = changeDemand(rule, design, (values, own) => values.find((value) => value !== own));
    const candidates = [...(rule.over === undefined ? [] : [equal]), ...(other === undefined ? [] : [other.rule])];
    for (const changed of candidates) {
      const planted = withRule(design, changed, { kind: 'conflict', rule, rules: [rule.id], text: '' });
      const known = new Set(listConflicts(design).map(({ rules }) => rules.join()));
      const fresh = listConflicts(planted).find(({ rules }) => !known.has(rules.join()));
      if (fresh === undefined) continue;
      return { ...planted, defect: { ...planted.defect, rules: fresh.rules, text: fresh.text } };
    }
    return undefined;
  },
};

function withRule({ rules, format }: DesignRules, changed: BusinessRule, defect: Defect): PlantedDesign {
  const all = rules.rules.map((rule) => (rule.id === changed.id ? changed : rule));
  return { rules: { ...rules, rules: all }, format, defect };
}

function listConflicts({ rules, format: { cases } }: DesignRules) {
  const faults = cases === undefined ? [] : findTableFaults(buildTable(cases, rules.rules));
  return faults.filter(({ kind }) => kind === 'conflict');
}

type OutcomeValue = RuleLine['demands'][string];
type ChangeValue = (values: CaseValue[], own: OutcomeValue) => OutcomeValue | undefined;

/** Changes the first demand of one value that could have another one. */
function changeDemand(
  rule: BusinessRule,
  { format: { cases } }: DesignRules,
  change: ChangeValue,
): { rule: BusinessRule; outcome: string } | undefined {
  const { demands } = rule;
  if (cases === undefined || demands === undefined || typeof demands === 'string') return undefined;
  for (const [outcome, own] of Object.entries(demands)) {
    const values = listValues(cases, outcome);
    const changed = Array.isArray(own) || values.length < 2 ? undefined : change(values, own);
    if (changed !== undefined) return { rule: { ...rule, demands: { ...demands, [outcome]: changed } }, outcome };
  }
  return undefined;
}

function listValues({ outcomes }: Cases, outcome: string): CaseValue[] {
  const { values } = longOutcome(outcomes[outcome] ?? []);
  return typeof values === 'string' ? [] : toArray(values);
}

/** Doubles the first number of a quote, or takes out a word of its middle, where a reader must look closely. */
function changeQuote(quote: string): string | undefined {
  const [number] = /\d+/.exec(quote) ?? [];
  if (number !== undefined) return quote.replace(number, String(Number(number) * 2));
  const words = quote.split(' ');
  return words.length < 5 ? undefined : words.toSpliced(Math.floor(words.length / 2), 1).join(' ');
}

/** Takes the lines that begin with the id of a rule, up to the next such line, out of the prompt. */
function dropParagraph(prompt: string, id: string): string {
  let isDropped = false;
  const kept = prompt.split('\n').filter((line) => {
    const [begins] = /^\s*R\d+(?=\W)/.exec(line) ?? [];
    if (begins !== undefined) isDropped = begins.trim() === id;
    if (line.trim() === '') isDropped = false;
    return !isDropped;
  });
  return kept.join('\n');
}

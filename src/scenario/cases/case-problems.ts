/** Finds faults of a case table before it is searched (wrong names, values and orders), as sentences for Init. */
import { parseArithmetic } from './arithmetic.ts';
import { buildTable, type CaseTable } from './case-table.ts';
import {
  ABOUT_WORDS,
  listConditions,
  listRuleLines,
  toArray,
  longAttribute,
  longOutcome,
  parseRange,
  type Cases,
  type CaseRule,
  type CaseValue,
  type RuleDemands,
  type When,
} from './cases.ts';

/** The most cells that one attribute can have. */
const MOST_CELLS = 30;

/** Finds the faults; in a design without `cases` no rule may have entries for the table. */
export function caseProblems(cases: Cases | undefined, rules: readonly CaseRule[]): string[] {
  if (cases === undefined) {
    const rest = 'but format_spec.yaml has no cases that name its attributes and outcomes.';
    return rules
      .filter((rule) => listRuleLines(rule).length > 0)
      .map(({ id }) => `${id} has when and demands, ${rest}`);
  }
  const problems = [
    ...Object.entries(cases.attributes).flatMap(([name, short]) => [
      ...attributeProblems(name, longAttribute(short)),
      ...whenProblems(`attribute ${name}`, longAttribute(short).when ?? 'all', cases),
    ]),
    ...Object.entries(cases.outcomes).flatMap(([name, short]) =>
      whenProblems(`outcome ${name}`, longOutcome(short).when ?? 'all', cases),
    ),
    ...(cases.frames ?? []).flatMap(({ when }) => whenProblems('frames', when, cases)),
    ...cases.impossible.flatMap((one) => whenProblems('impossible', one, cases)),
    ...rules.flatMap((rule) => ruleProblems(rule, cases, rules)),
  ];
  return problems.length > 0 ? problems : tableProblems(buildTable(cases, rules));
}

function attributeProblems(name: string, { values, usual }: ReturnType<typeof longAttribute>): string[] {
  if (typeof values === 'string') {
    const { from = 0, to = 0 } = parseRange(values) ?? {};
    if (from >= to) return [`cases: ${name}: ${values} holds no two numbers.`];
  } else if (new Set(values).size < values.length) return [`cases: ${name} lists a value twice.`];
  return usual === undefined || isInDomain(values, usual)
    ? []
    : [`cases: ${name}: its usual value ${usual} is not one of its values.`];
}

function ruleProblems(rule: CaseRule, cases: Cases, rules: readonly CaseRule[]): string[] {
  const { id, over = [] } = rule;
  const known = new Set(rules.map((one) => one.id));
  return [
    ...missingParts(rule),
    ...listRuleLines(rule).flatMap((line) => [
      ...whenProblems(id, line.when, cases),
      ...demandProblems(id, line.demands, cases),
    ]),
    ...over.flatMap((other) => {
      if (other === id) return [`${id}: over names the rule itself.`];
      return known.has(other) ? [] : [`${id}: over names ${other}, which does not exist.`];
    }),
  ];
}

/** Reports both missing parts in one sentence, so that they do not cost two submissions. */
function missingParts({ id, when, demands }: CaseRule): string[] {
  const missing = [
    ...(when === undefined ? ['no when: say of which cases it speaks, or when: all'] : []),
    ...(demands === undefined
      ? [
          `no demands: say what must come of it, or demands: ${ABOUT_WORDS}, which needs no when, where it is about words alone`,
        ]
      : []),
  ];
  return missing.length === 0 || demands === ABOUT_WORDS ? [] : [`${id} has ${missing.join('; and ')}.`];
}

function whenProblems(where: string, when: When, cases: Cases): string[] {
  return listConditions(when).flatMap((condition) =>
    Object.entries(condition).flatMap(([name, value]) => {
      const attribute = cases.attributes[name];
      if (attribute === undefined) return [`${where}: ${name} is no attribute of cases.`];
      const { values } = longAttribute(attribute);
      return toArray(value)
        .filter((one) => !isInDomain(values, one))
        .map((one) => `${where}: ${name} is never ${String(one)}; cases give it ${domainText(values)}.`);
    }),
  );
}

function demandProblems(where: string, demands: RuleDemands, cases: Cases): string[] {
  return Object.entries(demands).flatMap(([name, value]) => {
    const outcome = cases.outcomes[name];
    if (outcome === undefined) return [`${where}: ${name} is no outcome of cases.`];
    const { values } = longOutcome(outcome);
    return toArray(value)
      .filter((one) => (typeof values === 'string' ? !isInDomain(values, one) : !values.includes(one)))
      .flatMap((one) => {
        if (typeof values === 'string' && typeof one === 'string') return arithmeticProblems(`${where}: ${name}`, one, cases);
        return [`${where}: ${name} cannot be ${String(one)}; cases give it ${domainText(values)}.`];
      });
  });
}

/** Finds faults of a number that is computed from the attributes of a case. */
export function arithmeticProblems(where: string, text: string, { attributes }: Cases): string[] {
  const parsed = parseArithmetic(text);
  if (!parsed.ok) return [`${where}: "${text}" ${parsed.fault}.`];
  return [...parsed.names].flatMap((name) => {
    const attribute = attributes[name];
    if (attribute === undefined) return [`${where}: "${text}" uses ${name}, which is no attribute of cases.`];
    const { values } = longAttribute(attribute);
    const isNumber = typeof values === 'string' || values.every((value) => typeof value === 'number');
    return isNumber ? [] : [`${where}: "${text}" counts with ${name}, which is no number.`];
  });
}

function tableProblems({ attributes, before }: CaseTable): string[] {
  return [
    ...attributes
      .filter(({ cells }) => cells.length > MOST_CELLS)
      .map(
        ({ name, cells }) => `cases: ${name} is cut into ${cells.length} parts by the rules; at most ${MOST_CELLS}.`,
      ),
    ...[...before]
      .filter(([id, others]) => others.has(id))
      .map(([id]) => `${id} goes before itself by way of over: no order follows from a circle.`),
  ];
}

/** Checks whether a value, or a part of a range, lies in a domain. */
export function isInDomain(domain: string | readonly CaseValue[], value: CaseValue): boolean {
  if (typeof domain !== 'string') return domain.includes(value);
  const [all, part] = [parseRange(domain), parseRange(value)];
  return all !== undefined && part !== undefined && part.from <= part.to && part.from <= all.to && part.to >= all.from;
}

function domainText(values: string | readonly CaseValue[]): string {
  return typeof values === 'string' ? values : values.map(String).join(', ');
}

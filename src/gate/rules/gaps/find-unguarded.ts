/** Finds rules that hold acts back until something is so, and ends of outcomes, in a design whose table has no case for them. */
import {
  listConditions,
  listRuleLines,
  longAttribute,
  longOutcome,
  toArray,
  type Cases,
} from '../../../scenario/cases/cases.ts';
import { isReading, WORDS } from '../../../scenario/cases/readings.ts';
import type { BusinessRule, FormatSpec } from '../../../scenario/design.ts';
import { hasForm, lengthOfWords, listStems, type ToldSentence } from './account-for.ts';
import type { DesignGap } from './design-gap.ts';

/** The fewest acts that a guard holds back; a rule about one act of several says how that act is done. */
const LEAST_ACTS = 2;

type ActingRule = { rule: BusinessRule; acts: string[] };

export function findUnguarded(
  { cases, tools }: Pick<FormatSpec, 'tools'> & { cases: Cases },
  rules: readonly BusinessRule[],
): DesignGap[] {
  const all = tools.filter(({ changes_world, by }) => changes_world && by !== 'user').map(({ name }) => name);
  const acting = rules.map((rule): ActingRule => ({ rule, acts: all.filter((act) => rule.applies_to.includes(act)) }));
  const deciders = acting.filter(({ rule }) => !saysOnlyHow(rule, cases));
  const decided = new Set(deciders.flatMap(({ acts }) => acts));
  const guards = acting.filter(({ rule, acts }) => {
    const held = acts.filter((act) => decided.has(act)).length;
    return held >= Math.min(LEAST_ACTS, decided.size) && held > 0 && saysOnlyHow(rule, cases);
  });
  const states = listStates(cases);
  const isGated = (guard: ActingRule) => states.some((name) => isGate(name, guard, acting));
  const taken = new Set(guards.flatMap((guard) => states.filter((name) => isGate(name, guard, acting))));
  return guards
    .filter((guard) => !isGated(guard))
    .filter((guard) => !states.some((name) => !taken.has(name) && isRefusalDecided(name, guard, deciders)))
    .map(({ rule: { id, title }, acts }) => ({
      name: id,
      text: `${id} (${title}) comes before ${acts.join(', ')}; no attribute says that it is not met, so no rule decides what happens then`,
    }));
}

/** Whether a rule demands nothing but words, an order of calls, or what has one value: never whether something is done. */
function saysOnlyHow(rule: BusinessRule, { outcomes }: Cases): boolean {
  return listRuleLines(rule)
    .flatMap(({ demands }) => Object.keys(demands))
    .every((name) => {
      const { from, values } = longOutcome(outcomes[name] ?? []);
      const isOrder = isReading(from) && 'calls' in from && (from.before ?? from.after) !== undefined;
      return from === WORDS || isOrder || (toArray(values).length < 2 && typeof values !== 'string');
    });
}

/** Names the attributes that people bring with them: no world shows them. */
function listStates({ attributes }: Cases): string[] {
  return Object.entries(attributes)
    .filter(([, short]) => {
      const { values, from } = longAttribute(short);
      return typeof values !== 'string' && from === undefined;
    })
    .map(([name]) => name);
}

/** Whether an attribute is what is asked for: beside what all its values do, each value is about acts of its own. */
function isRequest(attribute: string, acts: readonly string[], deciders: readonly ActingRule[]): boolean {
  const actsOfValues = new Map<unknown, Set<string>>();
  for (const decider of deciders) {
    const own = decider.acts.filter((one) => acts.includes(one));
    const values = new Set(listUsedValues(attribute, decider.rule));
    // A rule about several values and several acts does not tell which value is about which act.
    if (own.length > 1 && values.size > 1) continue;
    for (const value of values) actsOfValues.set(value, new Set([...(actsOfValues.get(value) ?? []), ...own]));
  }
  const all = [...actsOfValues.values()];
  const isCommon = (act: string): boolean => all.every((own) => own.has(act));
  const special = all.map((own) => [...own].filter((act) => !isCommon(act)));
  const used = new Set(special.filter((own) => own.length > 0).map((own) => own.toSorted().join(' ')));
  return used.size > 1 && new Set(special.flat()).size === [...used].flatMap((own) => own.split(' ')).length;
}

function listUsedValues(attribute: string, rule: BusinessRule): unknown[] {
  return listRuleLines(rule).flatMap(({ when }) =>
    listConditions(when).flatMap((condition) => toArray(condition[attribute] ?? [])),
  );
}

/** Whether rules decide acts of the guard, not one act of several, by an attribute that the guard does not name. */
function isRefusalDecided(name: string, { rule, acts }: ActingRule, deciders: readonly ActingRule[]): boolean {
  const refusing = deciders.filter((other) => listUsedValues(name, other.rule).length > 0);
  const held = countActs(deciders, acts);
  // A refusal that is handed to somebody else names that act alone; what does not happen is what both demand something of.
  const ended = new Set(refusing.filter((other) => countActs([other], acts) === 0).flatMap(listOutcomes));
  const reached = deciders.filter(
    (other) => refusing.includes(other) || listOutcomes(other).some((one) => ended.has(one)),
  );
  return (
    listUsedValues(name, rule).length === 0 &&
    !isRequest(name, acts, deciders) &&
    countActs(reached, acts) >= Math.min(LEAST_ACTS, held) &&
    decidesAlone(name, refusing)
  );
}

/** Whether the guard and each rule about its acts ask for one value of the attribute, and some rule is about another value. */
function isGate(name: string, { rule: guard, acts }: ActingRule, acting: readonly ActingRule[]): boolean {
  const met = listUsedValues(name, guard);
  const others = acting.map(({ rule, acts: own }) => ({ own, values: listUsedValues(name, rule) }));
  const isMet = (values: readonly unknown[]) => values.length > 0 && values.every((value) => met.includes(value));
  const refusing = others.filter(({ values }) => values.length > 0 && !isMet(values));
  return (
    met.length > 0 &&
    refusing.length > 0 &&
    others.every((one) => refusing.includes(one) || isMet(one.values) || !one.own.some((act) => acts.includes(act)))
  );
}

const countActs = (deciders: readonly ActingRule[], acts: readonly string[]): number =>
  new Set(deciders.flatMap((other) => other.acts.filter((act) => acts.includes(act)))).size;

const listOutcomes = ({ rule }: ActingRule): string[] =>
  listRuleLines(rule).flatMap(({ demands }) => Object.keys(demands));

/** Whether some value leaves each outcome one end: a refusal ends every act, a fact only changes how it is done. */
function decidesAlone(name: string, refusing: readonly ActingRule[]): boolean {
  const lines = refusing.flatMap(({ rule }) => listRuleLines(rule));
  const values = new Set(refusing.flatMap(({ rule }) => listUsedValues(name, rule)));
  return [...values].some((value) => {
    const own = lines.filter(({ when }) =>
      listConditions(when).some((one) => toArray<unknown>(one[name] ?? []).includes(value)),
    );
    const ends = own.flatMap(({ demands }) => Object.entries(demands));
    return new Set(ends.map(([outcome]) => outcome)).size === new Set(ends.map((end) => end.join(': '))).size;
  });
}

/** The share below which no rule tells a sentence of a policy. */
const UNTOLD = 0.5;

/** Finds ends of outcomes that no rule demands: the table has the end, and no case that leads there. */
export function findUndemanded(
  cases: Cases,
  rules: readonly BusinessRule[],
  policies: readonly ToldSentence[],
): DesignGap[] {
  const untold = policies.filter(({ share }) => share < UNTOLD);
  return Object.entries(cases.outcomes).flatMap(([name, short]) => {
    const { values, means = name } = longOutcome(short);
    const own = rules.filter((rule) => listDemanded(rule, name).length > 0);
    const demanded = own.flatMap((rule) => listDemanded(rule, name));
    const ends = typeof values === 'string' ? [] : toArray<unknown>(values).map(String);
    // What arithmetic demands may be any of them.
    const open = demanded.every((end) => ends.includes(end)) ? ends.filter((value) => !demanded.includes(value)) : [];
    const [first] = own;
    // The other end of what is always done is its opposite, save where the policies say more of it, or a tool asks for nothing else.
    const isSaid = untold.some(({ text }) => own.some((rule) => shareWord(text, rule.text)));
    if (first === undefined || (ends.length - open.length < 2 && !isSaid && !asksFirst(own, rules))) return [];
    return open.map((value) => ({
      name: first.id,
      text: `“${means}” may be “${value.replaceAll('_', ' ')}”, and no rule demands it: ${first.id} (${first.title}) and its like have no case that ends so`,
    }));
  });
}

const listDemanded = (rule: BusinessRule, outcome: string): string[] =>
  listRuleLines(rule).flatMap(({ demands }) => toArray<unknown>(demands[outcome] ?? []).map(String));

const shareWord = (one: string, other: string): boolean =>
  listStems(one).some((word) => word.length >= lengthOfWords(word, 5) && hasForm(listStems(other), word));

/** Whether rules act with two tools that no other rule has: one of them asks or looks up what the other depends on. */
function asksFirst(own: readonly BusinessRule[], rules: readonly BusinessRule[]): boolean {
  const others = new Set(rules.filter((rule) => !own.includes(rule)).flatMap(({ applies_to }) => applies_to));
  return own.some(({ applies_to }) => applies_to.filter((tool) => !others.has(tool)).length > 1);
}

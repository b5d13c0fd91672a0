/** Finds rules that hold acts back until something is so, in a design whose table has no case in which it is not so. */
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
  const own = guards.map((guard) => ({
    ...guard,
    state: states.find((name) => isRefusalDecided({ name, met: listUsedValues(name, guard.rule) }, guard, deciders)),
  }));
  const taken = new Set(own.map(({ state }) => state));
  return own
    .filter(({ state }) => state === undefined)
    .filter((guard) => !states.some((name) => !taken.has(name) && isRefusalDecided({ name, met: [] }, guard, deciders)))
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

/** Whether an attribute is what is asked for: each of its values is about one act, and not all about the same. */
function isRequest(attribute: string, acts: readonly string[], deciders: readonly ActingRule[]): boolean {
  const actsOfValues = new Map<unknown, Set<string>>();
  for (const decider of deciders) {
    const [act, ...others] = decider.acts.filter((one) => acts.includes(one));
    if (act === undefined || others.length > 0) continue;
    for (const value of listUsedValues(attribute, decider.rule))
      actsOfValues.set(value, (actsOfValues.get(value) ?? new Set<string>()).add(act));
  }
  const used = [...actsOfValues.values()];
  return used.every(({ size }) => size === 1) && new Set(used.flatMap((own) => [...own])).size > 1;
}

function listUsedValues(attribute: string, rule: BusinessRule): unknown[] {
  return listRuleLines(rule).flatMap(({ when }) =>
    listConditions(when).flatMap((condition) => toArray(condition[attribute] ?? [])),
  );
}

/** Whether rules decide acts of the guard by a value of the attribute that the guard does not name: not one act of several. */
function isRefusalDecided(
  { name, met }: { name: string; met: readonly unknown[] },
  { rule, acts }: ActingRule,
  deciders: readonly ActingRule[],
): boolean {
  const isOwn =
    met.length > 0 || listRuleLines(rule).every(({ when }) => listConditions(when).every((one) => !(name in one)));
  const held = (others: readonly ActingRule[]): number =>
    new Set(others.flatMap((other) => other.acts.filter((act) => acts.includes(act)))).size;
  const refusing = deciders.filter((other) => listUsedValues(name, other.rule).some((value) => !met.includes(value)));
  return isOwn && !isRequest(name, acts, deciders) && held(refusing) >= Math.min(LEAST_ACTS, held(deciders));
}

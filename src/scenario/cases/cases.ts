/** The shape of a design's cases: attributes, outcomes, and for each rule when it demands which outcome. */
import { z } from 'zod';
import { Pointer, ReadAs, Reading, WORDS } from './readings.ts';

const Name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'expected a name such as paid_with');
export const CaseValue = z.union([z.string().min(1).max(80), z.int(), z.boolean()]);
export type CaseValue = z.infer<typeof CaseValue>;

/** A range such as `0..120`: whole numbers, both ends included. */
const Range = z.string().regex(/^-?\d{1,9}\.\.-?\d{1,9}$/, 'expected a range such as 0..120');
const Domain = z.union([Range, z.array(CaseValue).min(2).max(24)]);

/** Reads the attribute from a sample's start world; `{order}` stands for the value under the sample's `case_of`. */
const Derivation = z.union([
  z.strictObject({ at: Pointer }),
  z.strictObject({ count: Pointer }),
  z.strictObject({ days: z.tuple([Pointer, Pointer]) }),
]);
export type Derivation = z.infer<typeof Derivation>;

/** Values that must all hold; each may also be a list of values, or a range that is open on one side: `31..`. */
export const Condition = z.record(Name, z.union([CaseValue, z.array(CaseValue).min(1)]));
export type Condition = z.infer<typeof Condition>;

/** All cases (`all`), one condition, or any of several. */
export const When = z.union([z.literal('all'), z.array(Condition).min(1), Condition]);
export type When = z.infer<typeof When>;

const LongAttribute = z.strictObject({
  values: Domain,
  /** The name for people: `days since delivery`. */
  means: z.string().min(1).max(120).optional(),
  /** The value for samples that do not state another. */
  usual: CaseValue.optional(),
  from: Derivation.optional(),
  /** The cases that have the attribute at all: a change of address has no defect of goods. Default: all. */
  when: When.optional(),
});
export const Attribute = z.union([Domain, LongAttribute]);
export type Attribute = z.infer<typeof Attribute>;

/** The value that each outcome must have, or one of several. */
export const RuleDemands = z.record(Name, z.union([CaseValue, z.array(CaseValue).min(1)]));
export type RuleDemands = z.infer<typeof RuleDemands>;

/** Marks a rule about wording alone, which conversations show to be followed and no outcome does. */
export const ABOUT_WORDS = 'words';

const LongOutcome = z.strictObject({
  /** The values that rules can demand; with a range they demand numbers or arithmetic: `min(2 * days_late, 30)`. */
  values: z.union([Range, z.array(CaseValue).min(1).max(24)]),
  means: z.string().min(1).max(120).optional(),
  /** The cases in which some rule must demand the outcome; default: all of them. */
  when: When.optional(),
  /** Where code reads the outcome in a trial (`words`: nowhere), and what its values look like there. */
  from: z.union([z.literal(WORDS), Reading]).optional(),
  as: ReadAs.optional(),
});
const Outcome = z.union([z.array(CaseValue).min(1).max(24), LongOutcome]);

/** The `cases` of `format_spec.yaml`. */
export const Cases = z.strictObject({
  attributes: z
    .record(Name, Attribute)
    .refine((all) => Object.keys(all).length <= 20, 'expected at most 20 attributes: more cannot be enumerated'),
  outcomes: z.record(Name, Outcome),
  /** Names that samples give under `case_of` beside those that attributes use, and what they mean. */
  names: z.record(Name, z.string().min(1).max(120)).optional(),
  /** Combinations that do not occur. */
  impossible: z.array(Condition).default([]),
  /** What may change in which cases; in a case with a frame everything else must stay as it was. */
  frames: z.array(z.strictObject({ when: When, may_change: z.array(Pointer) })).optional(),
});
export type Cases = z.infer<typeof Cases>;

/** The part of a rule that code reads. */
export const RuleLine = z.strictObject({ when: When, demands: RuleDemands });
export type RuleLine = z.infer<typeof RuleLine>;

/** A rule as the case table has it, without its text. */
export type CaseRule = {
  id: string;
  when?: When | undefined;
  demands?: RuleDemands | typeof ABOUT_WORDS | undefined;
  also?: RuleLine[] | undefined;
  over?: string[] | undefined;
};

export function listRuleLines({ when, demands = {}, also = [] }: CaseRule): RuleLine[] {
  return when === undefined ? also : [{ when, demands: demands === ABOUT_WORDS ? {} : demands }, ...also];
}

/** Checks whether a case meets a condition; an unknown attribute meets none. */
export function isConditionMet(when: When, known: Readonly<Record<string, CaseValue>>): boolean {
  const isMet = (value: CaseValue | undefined, wanted: CaseValue): boolean => {
    const range = parseRange(wanted);
    if (value === undefined || value === wanted) return value === wanted;
    return typeof value === 'number' && range !== undefined && value >= range.from && value <= range.to;
  };
  return (
    when === 'all' ||
    listConditions(when).some((condition) =>
      Object.entries(condition).every(([name, value]) => toArray(value).some((one) => isMet(known[name], one))),
    )
  );
}

export function longAttribute(attribute: Attribute): z.infer<typeof LongAttribute> {
  return typeof attribute === 'string' || Array.isArray(attribute) ? { values: attribute } : attribute;
}

export function longOutcome(outcome: z.infer<typeof Outcome>): z.infer<typeof LongOutcome> {
  return Array.isArray(outcome) ? { values: outcome } : outcome;
}

export function toArray<Value>(value: Value | Value[]): Value[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns an empty list for a rule about all cases. */
export function listConditions(when: When): Condition[] {
  return when === 'all' ? [] : toArray<Condition>(when);
}

/** Reads the ends of `0..120`, `31..` or `..30`; a number is a range of one, and any other value gives undefined. */
export function parseRange(value: CaseValue): { from: number; to: number } | undefined {
  if (typeof value === 'number') return { from: value, to: value };
  const [, from, to] = /^(-?\d{1,9})?\.\.(-?\d{1,9})?$/.exec(String(value)) ?? [];
  if (from === undefined && to === undefined) return undefined;
  return { from: from === undefined ? -Infinity : Number(from), to: to === undefined ? Infinity : Number(to) };
}

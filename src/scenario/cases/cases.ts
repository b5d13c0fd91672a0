/** What the rules of a design speak about: attributes of a case, outcomes, and for each rule when it demands which. */
import { z } from 'zod';

const Name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'expected a name such as paid_with');
export const CaseValue = z.union([z.string().min(1).max(80), z.int(), z.boolean()]);
export type CaseValue = z.infer<typeof CaseValue>;

/** `0..120`: whole numbers from here to there, both included. */
const Range = z.string().regex(/^-?\d{1,9}\.\.-?\d{1,9}$/, 'expected a range such as 0..120');
const Domain = z.union([Range, z.array(CaseValue).min(2).max(24)]);

const Pointer = z.string().regex(/^\//, 'expected a JSON pointer such as /orders/{order}/paid_with');

/** How code reads the attribute from a sample's start world; `{order}` is replaced by the value under `case_of` of the sample. */
const Derivation = z.union([
  z.strictObject({ at: Pointer }),
  z.strictObject({ count: Pointer }),
  z.strictObject({ days: z.tuple([Pointer, Pointer]) }),
]);
export type Derivation = z.infer<typeof Derivation>;

/** All of it must hold; a value may also be a list of values, or a range that is open on one side: `31..`. */
export const Condition = z.record(Name, z.union([CaseValue, z.array(CaseValue).min(1)]));
export type Condition = z.infer<typeof Condition>;

/** `all` cases, one condition, or any of several. */
export const When = z.union([z.literal('all'), z.array(Condition).min(1), Condition]);
export type When = z.infer<typeof When>;

const LongAttribute = z.strictObject({
  values: Domain,
  /** In words, for people: `days since delivery`. */
  means: z.string().min(1).max(120).optional(),
  /** What a sample has that does not say otherwise. */
  usual: CaseValue.optional(),
  from: Derivation.optional(),
  /** The cases that have it at all: what is wrong with the goods is no attribute of a change of address. Default: all. */
  when: When.optional(),
});
export const Attribute = z.union([Domain, LongAttribute]);
export type Attribute = z.infer<typeof Attribute>;

/** Outcome -> the value that it must have, or one of several. */
export const RuleDemands = z.record(Name, z.union([CaseValue, z.array(CaseValue).min(1)]));
export type RuleDemands = z.infer<typeof RuleDemands>;

/** A rule about words alone: conversations show whether it is followed, and no outcome does. */
export const ABOUT_WORDS = 'words';

const LongOutcome = z.strictObject({
  values: z.array(CaseValue).min(1).max(24),
  means: z.string().min(1).max(120).optional(),
  /** The cases in which some rule must demand it; default: all of them. */
  when: When.optional(),
});
const Outcome = z.union([z.array(CaseValue).min(1).max(24), LongOutcome]);

/** `cases` of `format_spec.yaml`. */
export const Cases = z.strictObject({
  attributes: z
    .record(Name, Attribute)
    .refine((all) => Object.keys(all).length <= 20, 'expected at most 20 attributes: more cannot be enumerated'),
  outcomes: z.record(Name, Outcome),
  /** Combinations that do not occur. */
  impossible: z.array(Condition).default([]),
});
export type Cases = z.infer<typeof Cases>;

/** The part of a rule that code reads. */
export const RuleLine = z.strictObject({ when: When, demands: RuleDemands });
export type RuleLine = z.infer<typeof RuleLine>;

/** A rule as its table has it: nothing of its sentence. */
export type CaseRule = {
  id: string;
  when?: When | undefined;
  demands?: RuleDemands | typeof ABOUT_WORDS | undefined;
  also?: RuleLine[] | undefined;
  over?: string[] | undefined;
};

export function linesOf({ when, demands = {}, also = [] }: CaseRule): RuleLine[] {
  return when === undefined ? also : [{ when, demands: demands === ABOUT_WORDS ? {} : demands }, ...also];
}

/** Whether a case meets a condition; an attribute that is not known meets none. */
export function holds(when: When, known: Readonly<Record<string, CaseValue>>): boolean {
  const isMet = (value: CaseValue | undefined, wanted: CaseValue): boolean => {
    const range = rangeOf(wanted);
    if (value === undefined || value === wanted) return value === wanted;
    return typeof value === 'number' && range !== undefined && value >= range.from && value <= range.to;
  };
  return (
    when === 'all' ||
    conditionsOf(when).some((condition) =>
      Object.entries(condition).every(([name, value]) => listOf(value).some((one) => isMet(known[name], one))),
    )
  );
}

export function longAttribute(attribute: Attribute): z.infer<typeof LongAttribute> {
  return typeof attribute === 'string' || Array.isArray(attribute) ? { values: attribute } : attribute;
}

export function longOutcome(outcome: z.infer<typeof Outcome>): z.infer<typeof LongOutcome> {
  return Array.isArray(outcome) ? { values: outcome } : outcome;
}

export function listOf<Value>(value: Value | Value[]): Value[] {
  return Array.isArray(value) ? value : [value];
}

/** None of them where a rule speaks of all cases. */
export function conditionsOf(when: When): Condition[] {
  return when === 'all' ? [] : listOf<Condition>(when);
}

/** Lower and upper end of `0..120`, `31..` or `..30`; a number is a range of one. Undefined for anything else. */
export function rangeOf(value: CaseValue): { from: number; to: number } | undefined {
  if (typeof value === 'number') return { from: value, to: value };
  const [, from, to] = /^(-?\d{1,9})?\.\.(-?\d{1,9})?$/.exec(String(value)) ?? [];
  if (from === undefined && to === undefined) return undefined;
  return { from: from === undefined ? -Infinity : Number(from), to: to === undefined ? Infinity : Number(to) };
}

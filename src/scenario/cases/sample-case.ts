/** The case of a sample: what it states, what its start world shows, and what is not true of that world. */
import { isJsonObject } from '../json/json-value.ts';
import { valueAt } from '../json/patch.ts';
import { isIn } from './case-problems.ts';
import type { Case } from './case-words.ts';
import { holds, longAttribute, type Cases, type CaseValue, type Derivation, type When } from './cases.ts';

/** What a sample says about its case. */
export type StatedCase = { case?: Case | undefined; case_of?: Record<string, string | number> | undefined };

const DAY_MS = 86_400_000;

/** `known` holds every attribute that is stated, derived or usual; a fault is a sentence without the sample's name. */
export function caseOf(stated: StatedCase, world: unknown, cases: Cases): { known: Case; faults: string[] } {
  const known: Case = {};
  const faults = Object.keys(stated.case ?? {})
    .filter((name) => !Object.hasOwn(cases.attributes, name))
    .map((name) => `case: ${name} is no attribute of format_spec.yaml`);
  const open: { name: string; when: When; fault: string }[] = [];
  for (const [name, short] of Object.entries(cases.attributes)) {
    const { values, usual, from, when = 'all' } = longAttribute(short);
    const own = stated.case?.[name];
    const seen = from === undefined ? undefined : derive(from, stated.case_of ?? {}, world);
    if (own !== undefined && !isSingle(values, own)) faults.push(`case: ${name} cannot be ${String(own)}`);
    else if (own !== undefined && seen !== undefined && seen !== own) {
      faults.push(`case: ${name} is ${String(own)}, but its start world shows ${String(seen)}`);
    } else if (own === undefined && seen !== undefined && !isSingle(values, seen)) {
      faults.push(`case: its start world shows ${name} ${String(seen)}, which format_spec.yaml does not list`);
    } else {
      const value = own ?? seen ?? usual;
      if (value !== undefined) known[name] = value;
      else open.push({ name, when, fault: missing(name, from) });
    }
  }
  // An attribute that this case does not have is not missing.
  const needed = open.filter(({ when }) => holds(when, known));
  return { known, faults: [...faults, ...needed.map(({ fault }) => fault)] };
}

/** A sample is one case: a range is none. */
function isSingle(values: string | readonly CaseValue[], value: CaseValue): boolean {
  return typeof values === 'string' ? typeof value === 'number' && isIn(values, value) : isIn(values, value);
}

function missing(name: string, from: Derivation | undefined): string {
  if (from === undefined) return `case: ${name} is not stated`;
  const keys = pointersOf(from).flatMap((pointer) => [...pointer.matchAll(/\{(\w+)\}/g)].map(([, key]) => key));
  const say = keys.length === 0 ? '' : `, name ${[...new Set(keys)].join(' and ')} under case_of`;
  return `case: ${name} is not stated, and its start world does not show it${say}`;
}

function pointersOf(from: Derivation): string[] {
  if ('at' in from) return [from.at];
  return 'count' in from ? [from.count] : from.days;
}

/** Undefined where the world has nothing at that place. */
export function derive(
  from: Derivation,
  names: Record<string, string | number>,
  world: unknown,
): CaseValue | undefined {
  const read = (pointer: string) => valueAt(world, filled(pointer, names));
  if ('at' in from) return asValue(read(from.at));
  if ('count' in from) {
    const found = read(from.count);
    if (Array.isArray(found)) return found.length;
    return isJsonObject(found) ? Object.keys(found).length : undefined;
  }
  const [start, end] = from.days.map((pointer) => dayOf(read(pointer)));
  return start === undefined || end === undefined ? undefined : (end - start) / DAY_MS;
}

/** Of `2026-03-01` or `2026-03-01T10:00:00Z`, as it is written. Other dates mean another day to another reader, or in another place. */
function dayOf(found: unknown): number | undefined {
  const [day] = /^\d{4}-\d{2}-\d{2}(?![\d-])/.exec(String(found)) ?? [];
  const parsed = day === undefined ? Number.NaN : Date.parse(day);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function filled(pointer: string, names: Record<string, string | number>): string {
  return pointer.replaceAll(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(names, key) ? String(names[key]).replaceAll('~', '~0').replaceAll('/', '~1') : whole,
  );
}

function asValue(found: unknown): CaseValue | undefined {
  if (typeof found === 'string' || typeof found === 'boolean') return found;
  return typeof found === 'number' && Number.isInteger(found) ? found : undefined;
}

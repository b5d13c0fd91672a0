/** Resolves the case of a sample from its statements and its start world, and finds statements that contradict it. */
import { isJsonObject } from '../json/json-value.ts';
import { valueAt } from '../json/patch.ts';
import { isInDomain } from './case-problems.ts';
import { fillNames } from './read-trial.ts';
import { listNames } from './readings.ts';
import type { Case } from './format-cases.ts';
import { isConditionMet, longAttribute, type Cases, type CaseValue, type Derivation, type When } from './cases.ts';

/** The statements of a sample about its case. */
export type StatedCase = { case?: Case | undefined; case_of?: Record<string, string | number> | undefined };

const DAY_MS = 86_400_000;

/** Returns all stated, derived and usual attributes as `known`; faults are sentences without the sample's name. */
export function resolveCase(stated: StatedCase, world: unknown, cases: Cases): { known: Case; faults: string[] } {
  const known: Case = {};
  const faults = Object.keys(stated.case ?? {})
    .filter((name) => !Object.hasOwn(cases.attributes, name))
    .map((name) => `case: ${name} is no attribute of format_spec.yaml`);
  const open: { when: When; fault: string }[] = [];
  for (const [name, short] of Object.entries(cases.attributes)) {
    const { values, usual, from, when = 'all' } = longAttribute(short);
    const own = stated.case?.[name];
    const seen = from === undefined ? undefined : deriveValue(from, stated.case_of ?? {}, world);
    const doubt = (fault: string): void => void open.push({ when, fault });
    if (own !== undefined && !isSingle(values, own)) doubt(`case: ${name} cannot be ${String(own)}`);
    else if (own !== undefined && seen !== undefined && seen !== own) {
      doubt(`case: ${name} is ${String(own)}, but its start world shows ${String(seen)}`);
    } else if (own === undefined && seen !== undefined && !isSingle(values, seen)) {
      doubt(`case: its start world shows ${name} ${String(seen)}, which format_spec.yaml does not list`);
    } else {
      const value = own ?? seen ?? usual;
      if (value !== undefined) known[name] = value;
      else doubt(describeMissing(name, from));
    }
  }
  // An attribute that this case does not have is neither missing nor untrue, whatever the start world shows.
  const needed = open.filter(({ when }) => isConditionMet(when, known));
  return { known, faults: [...faults, ...needed.map(({ fault }) => fault)] };
}

/** Accepts only a single value, because a sample is one case and not a range. */
function isSingle(values: string | readonly CaseValue[], value: CaseValue): boolean {
  return typeof values === 'string'
    ? typeof value === 'number' && isInDomain(values, value)
    : isInDomain(values, value);
}

function describeMissing(name: string, from: Derivation | undefined): string {
  if (from === undefined) return `case: ${name} is not stated`;
  const keys = listNames(JSON.stringify(from));
  const say = keys.length === 0 ? '' : `, name ${[...new Set(keys)].join(' and ')} under case_of`;
  return `case: ${name} is not stated, and its start world does not show it${say}`;
}

/** Derives a value from the world; undefined where the world has none at that place. */
export function deriveValue(
  from: Derivation,
  names: Record<string, string | number>,
  world: unknown,
): CaseValue | undefined {
  const read = (pointer: string) => valueAt(world, fillNames(pointer, names));
  if ('at' in from) return toCaseValue(read(from.at));
  if ('count' in from) {
    const found = read(from.count);
    if (Array.isArray(found)) return found.length;
    return isJsonObject(found) ? Object.keys(found).length : undefined;
  }
  const [start, end] = from.days.map((pointer) => parseDay(read(pointer)));
  return start === undefined || end === undefined ? undefined : (end - start) / DAY_MS;
}

/** Reads a date as written in `2026-03-01` or `2026-03-01T10:00:00Z`; other forms are ambiguous across time zones. */
function parseDay(found: unknown): number | undefined {
  const [day] = /^\d{4}-\d{2}-\d{2}(?![\d-])/.exec(String(found)) ?? [];
  const parsed = day === undefined ? Number.NaN : Date.parse(day);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function toCaseValue(found: unknown): CaseValue | undefined {
  if (typeof found === 'string' || typeof found === 'boolean') return found;
  return typeof found === 'number' && Number.isInteger(found) ? found : undefined;
}

/** Fills variables into the templates of a suite. Only names, loops, conditions and a few filters are known, because a whole template language could run code. */
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { parseBlocks, type BlockPart } from './fill-blocks.ts';

export type Vars = Readonly<Record<string, unknown>>;

const CODE = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#[\s\S]*?#\}/g;
const NAME =
  /^\{\{-?\s*(\w+(?:\.\w+|\[\d+\]|\[(?:'[^']*'|"[^"]*")\])*)((?:\s*\|\s*\w+(?:\(\s*(?:'[^']*'|"[^"]*")\s*\))?)*)\s*-?\}\}$/;
const FILTER = /(\w+)(?:\(\s*(?:'([^']*)'|"([^"]*)")\s*\))?/g;
/** Names that promptfoo gives a meaning of their own. */
const OWN_NAME = /^(?:env|_conversation|loop|range|cycler|joiner)\b/;

const FILTERS: Readonly<Record<string, (value: unknown, given?: string) => unknown>> = {
  upper: (value) => toText(value).toUpperCase(),
  lower: (value) => toText(value).toLowerCase(),
  trim: (value) => toText(value).trim(),
  safe: (value) => value,
  join: (value, between = '') => (Array.isArray(value) ? value.map(toText).join(between) : value),
  dump: (value) => JSON.stringify(value),
  length: (value) => (typeof value === 'string' || Array.isArray(value) ? value.length : undefined),
};

const OPEN = Symbol('left as it stands');
const MOST_ROUNDS = 5;

/** Text as promptfoo writes it; an object is written as JSON, of which promptfoo keeps nothing but `[object Object]`. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(',');
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** `isWhole`: false where code of the template is left as it stands; with `isExact` also where an object would be written. */
export function fillText(text: string, vars: Vars, isExact = false): { text: string; isWhole: boolean } {
  const parts = text.includes('{%') ? parseBlocks(text) : undefined;
  return parts === undefined ? fillPlain(text, vars, isExact) : fillParts(parts, vars, isExact);
}

function fillParts(parts: readonly BlockPart[], vars: Vars, isExact: boolean): { text: string; isWhole: boolean } {
  const filled = parts.flatMap((part) => {
    if (typeof part === 'string') return [fillPlain(part, vars, isExact)];
    const { body, otherwise } = part;
    const value = readName(part.kind === 'for' ? part.list : part.name, vars);
    if (part.kind === 'if') return [fillParts(Boolean(value) === part.isNot ? otherwise : body, vars, isExact)];
    // An object or a text is walked through in ways of its own, which a suite hardly means.
    if (value !== undefined && value !== null && !Array.isArray(value)) return [{ text: '', isWhole: false }];
    const list: unknown[] = value ?? [];
    if (list.length === 0) return [fillParts(otherwise, vars, isExact)];
    return list.map((one, at) => fillParts(body, { ...vars, [part.item]: one, loop: countLoop(at, list) }, isExact));
  });
  return { text: filled.map((one) => one.text).join(''), isWhole: filled.every((one) => one.isWhole) };
}

function countLoop(at: number, { length }: readonly unknown[]): object {
  return { index: at + 1, index0: at, first: at === 0, last: at === length - 1, length };
}

function fillPlain(text: string, vars: Vars, isExact: boolean): { text: string; isWhole: boolean } {
  let isWhole = true;
  const mayDeclare = text.includes('{%');
  const filled = text.replaceAll(CODE, (whole) => {
    if (whole.startsWith('{#')) return '';
    const [, name, filters = ''] = NAME.exec(whole) ?? [];
    const steps = [...filters.matchAll(FILTER)].map(([, filter = '', single, double]) => {
      const change = FILTERS[filter];
      // Only `join` has a text of its own.
      const given = single ?? double;
      return given === undefined || filter === 'join' ? change && ((one: unknown) => change(one, given)) : undefined;
    });
    const value = name === undefined ? undefined : readName(name, vars);
    const isOpen = value === undefined && (name === undefined || OWN_NAME.test(name) || mayDeclare);
    const made = isOpen || steps.includes(undefined) ? OPEN : steps.reduce<unknown>((one, step) => step?.(one), value);
    if (made !== OPEN && !(isExact && [made].flat(MOST_ROUNDS).some(isJsonObject))) return toText(made);
    isWhole = false;
    return whole;
  });
  return { text: filled, isWhole };
}

/** A name with dots or brackets leads into an object or a list. */
function readName(name: string, vars: Vars): unknown {
  const keys = name.match(/\w+|'[^']*'|"[^"]*"/g)?.map((key) => key.replaceAll(/^['"]|['"]$/g, '')) ?? [];
  return keys.reduce<unknown>((found, key) => {
    const holder: unknown = found === undefined || found === null ? {} : Object(found);
    return Object.hasOwn(holder as object, key) ? (holder as Record<string, unknown>)[key] : undefined;
  }, vars);
}

/** Variables may name each other. A name of nothing stays within a variable, as promptfoo leaves it. */
export function fillVars(vars: Vars): Vars {
  let filled: Record<string, unknown> = { ...vars };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const known = filled;
    const entries = Object.entries(known).map(([name, value]): [string, unknown] => {
      if (typeof value !== 'string' || !value.includes('{{')) return [name, value];
      return [
        name,
        value.replaceAll(CODE, (whole) => (namesNothing(whole, known) ? whole : fillText(whole, known).text)),
      ];
    });
    filled = Object.fromEntries(entries);
  }
  return filled;
}

function namesNothing(code: string, vars: Vars): boolean {
  const name = NAME.exec(code)?.[1];
  return name === undefined || readName(name, vars) === undefined;
}

/** Fits a scripted summary into the fields that a request names: a script serves one agent, but any policy may ask it. */
import type { ParsedRequest } from './parse-request.ts';
import { isJsonObject } from '../../../scenario/json/json-value.ts';

/** Marks a field that may be left out. */
const OPTIONAL = /\(may be left out\)$/;

/**
 * Keeps the fields that the script has. Its other texts go, line by line, into the fields that it does not know, shared
 * out over lists and texts so that nothing is repeated or lost.
 */
export function inFields(summary: unknown, fields: Record<string, unknown> | undefined): unknown {
  if (fields === undefined || !isJsonObject(summary)) return summary;
  const wanted = Object.entries(fields);
  if (wanted.every(([name, about]) => isOptional(about) || Object.hasOwn(summary, name)))
    return inShapes(summary, fields);
  const spare = Object.entries(summary).flatMap(([name, value]) =>
    Object.hasOwn(fields, name) ? [] : valueLines(value),
  );
  const open = wanted.filter(([name]) => !Object.hasOwn(summary, name));
  const share = Math.ceil(spare.length / Math.max(1, open.length));
  return Object.fromEntries(
    wanted.flatMap(([name, about]): [string, unknown][] => {
      if (Object.hasOwn(summary, name)) return [[name, inShape(summary[name], about)]];
      const lines = spare.splice(0, share);
      return lines.length === 0 && isOptional(about) ? [] : [[name, fillSkeleton(about, lines)]];
    }),
  );
}

/** Returns the same object when nothing has to change. */
function inShapes(summary: Record<string, unknown>, fields: Record<string, unknown>): Record<string, unknown> {
  const shaped = Object.entries(summary).map(([name, value]) => [name, inShape(value, fields[name])] as const);
  return shaped.every(([name, value]) => value === summary[name]) ? summary : Object.fromEntries(shaped);
}

/** Puts a list into the list field of an expected object, and fills in the fields that an object lacks. */
function inShape(value: unknown, about: unknown): unknown {
  if (!isJsonObject(about) || Object.keys(about).length === 0) return value;
  if (isJsonObject(value)) {
    const missing = Object.entries(about).filter(([name, inner]) => !Object.hasOwn(value, name) && !isOptional(inner));
    return missing.length === 0
      ? value
      : { ...value, ...Object.fromEntries(missing.map(([name, inner]) => [name, fillSkeleton(inner, [])])) };
  }
  const lines = valueLines(value);
  const list = Object.keys(about).find((name) => Array.isArray(about[name]));
  if (list === undefined) return fillSkeleton(about, lines);
  const rest = Object.entries(about).filter(([name, inner]) => name !== list && !isOptional(inner));
  return { ...Object.fromEntries(rest.map(([name, inner]) => [name, fillSkeleton(inner, [])])), [list]: lines };
}

/** A skeleton is a text, a list with one text, or an object of skeletons. */
function fillSkeleton(about: unknown, lines: string[]): unknown {
  if (Array.isArray(about)) return lines;
  if (!isJsonObject(about)) return lines.length === 0 ? 'nothing' : lines.join('; ');
  const fields = Object.entries(about);
  const share = Math.ceil(lines.length / Math.max(1, fields.length));
  return Object.fromEntries(fields.map(([name, inner]) => [name, fillSkeleton(inner, lines.splice(0, share))]));
}

function valueLines(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(valueLines);
  if (isJsonObject(value)) return Object.values(value).flatMap(valueLines);
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  return typeof value === 'string' && value !== '' ? [value] : [];
}

function isOptional(about: unknown): boolean {
  const [text] = Array.isArray(about) ? about : [about];
  return typeof text === 'string' && OPTIONAL.test(text);
}

const CITE = /\s*\{\{cite:([^}]+)\}\}/g;

/** Wraps the summary in its tag, or writes it bare when the request asks for JSON alone. */
export function writeSummary(summary: Record<string, unknown>, request: ParsedRequest, bare: boolean): string {
  const json = JSON.stringify(inFields(fillIn(summary, request), request.fields), null, 2);
  return bare ? json : `<compact_summary>\n${json}\n</compact_summary>`;
}

function fillIn(value: unknown, request: ParsedRequest): unknown {
  if (typeof value === 'string') return value.replace(CITE, (_, what: string) => formatCitation(what.trim(), request));
  if (Array.isArray(value)) return value.map((item) => fillIn(item, request));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, request)]));
}

/** Cites the newest line of a path; a line that is not visible cannot be cited. */
function formatCitation(what: string, { ledger, task }: ParsedRequest): string {
  const id = what === 'task' ? task : ledger.findLast(({ path, id }) => path === what && id !== undefined)?.id;
  return id === undefined ? '' : ` [#${id}]`;
}

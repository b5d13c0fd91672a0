/** Reads JSON, JSON lines, YAML and CSV that other programs wrote. Each fault names its file and line, and never quotes the file. */
import { z } from 'zod';
import { parseYaml } from '../config/yaml-file.ts';
import { HarnessError } from '../errors.ts';
import { parseJson } from '../parse-json.ts';
import { isJsonObject, type JsonObject } from '../scenario/json/json-value.ts';

/** Accepts a byte order mark, and the NaN and Infinity of Python: NaN becomes null, as it is in JSON. Of equal keys the last one counts. */
export function parseForeignJson(text: string, shown: string): unknown {
  const read = readJson(text);
  if ('value' in read) return read.value;
  throw refuse(shown, read.line, `is no JSON: ${read.fault}`);
}

export function readJson(text: string): { value: unknown } | { line: number; fault: string } {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    return { value: JSON.parse(plain) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const finite = withoutPythonNumbers(plain);
    return finite === plain ? findJsonFault(plain) : readJson(finite);
  }
}

/** Like `parseForeignJson`, for a text that may be something else: undefined for what is no JSON. */
export function tryForeignJson(text: string): unknown {
  return parseJson(text) ?? (/\b(?:NaN|Infinity)\b/.test(text) ? parseJson(withoutPythonNumbers(text)) : undefined);
}

/** One value for each line that is not blank. */
export function parseForeignLines(text: string, shown: string): { line: number; value: unknown }[] {
  return text.split(/\r?\n/).flatMap((raw, index) => {
    if (raw.replace(/^\uFEFF/, '').trim() === '') return [];
    const read = readJson(raw);
    if ('value' in read) return [{ line: index + 1, value: read.value }];
    throw refuse(shown, index + 1, `is no JSON: ${read.fault}. Correct this line, or take it out`);
  });
}

/** A key that is there twice is refused, because readers of YAML do not agree which of the two counts. */
export function parseForeignYaml(text: string, shown: string): unknown {
  return mergeEntries(parseYaml(text, z.unknown(), shown));
}

/** A key `<<` holds entries of other mappings, as most readers of YAML take it. */
export function mergeEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mergeEntries);
  if (!isJsonObject(value)) return value;
  const { '<<': merged = [], ...own } = value;
  const whole = Object.assign({}, ...[merged].flat().filter(isJsonObject).toReversed(), own) as JsonObject;
  return Object.fromEntries(Object.entries(whole).map(([key, one]) => [key, mergeEntries(one)]));
}

/** Changes every text in a JSON value; keys stay. */
export function mapTexts(value: unknown, map: (text: string) => unknown): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, map)]));
}

export type CsvRow = { line: number; cells: string[] };

/** RFC 4180: cells in quotes may hold commas, line breaks and doubled quotes. Quotes within other cells stand for themselves. Blank lines are left out. */
export function parseForeignCsv(text: string, shown: string): CsvRow[] {
  const plain = text.replace(/^\uFEFF/, '');
  const CELL = /(?:"((?:[^"]|"")*)"[ \t]*(?=,|\r?\n|$)|((?!")[^,\r\n]*|"[^\r\n]*))(,|\r?\n|$)/y;
  const rows: CsvRow[] = [];
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  while (CELL.lastIndex < plain.length || row.cells.length > 0) {
    const found = CELL.exec(plain);
    const [whole = '', quoted, bare = '', end = ''] = found ?? [];
    if (found === null || (quoted === undefined && bare.startsWith('"')))
      throw refuse(
        shown,
        line,
        'a cell in quotes does not end, or goes on after its last quote: double each quote in it',
      );
    row.cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end === ',') continue;
    rows.push(row);
    row = { line, cells: [] };
  }
  return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
}

export function refuse(shown: string, line: number, why: string): HarnessError {
  return new HarnessError('config_invalid', `${shown}:${line}: ${why}.`, { details: { path: shown, line } });
}

/** Infinity becomes a number that no JSON number can hold, which is read as Infinity again. */
function withoutPythonNumbers(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\bNaN\b|\bInfinity\b/g, (token) =>
    token === 'NaN' ? 'null' : token === 'Infinity' ? '1e999' : token,
  );
}

/** The message of the parser may lack the place, and quotes the file, which may hold control characters. So the first line is searched with which the text can no longer be JSON. */
function findJsonFault(text: string): { line: number; fault: string } {
  const lines = text.trimEnd().split('\n');
  let [good, bad] = [0, lines.length + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    // A line break ends what a text may not span.
    const rest = middle < lines.length ? '\n' : '';
    if (canGoOn(`${lines.slice(0, middle).join('\n')}${rest}`)) good = middle;
    else bad = middle;
  }
  if (bad <= lines.length) return { line: bad, fault: 'this line has what cannot stand there' };
  return { line: lines.length, fault: 'it ends too early' };
}

/** True for the beginning of a JSON text: its only fault is at its end. */
function canGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    const place = /at position (\d+)/.exec(message)?.[1];
    return message.startsWith('Unexpected end') || (place !== undefined && Number(place) >= text.length);
  }
}

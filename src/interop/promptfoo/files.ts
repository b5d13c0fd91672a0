/** Files that a suite names: tests in YAML, JSON and CSV, texts of prompts and values. Scripts stay what they are: names of files. */
import { parse } from 'yaml';
import { parseJson } from '../../parse-json.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** Reads a file next to the suite; undefined if there is none that may be read. */
export type ReadSuiteFile = (path: string) => string | undefined;

export function withFiles(config: unknown, read: ReadSuiteFile): unknown {
  if (!isJsonObject(config)) return config;
  const { tests, prompts, defaultTest } = config;
  return {
    ...config,
    ...(tests !== undefined && { tests: testsOf(tests, read) }),
    ...(prompts !== undefined && {
      prompts: Array.isArray(prompts) ? prompts.map((one: unknown) => promptOf(one, read)) : promptOf(prompts, read),
    }),
    ...(isJsonObject(defaultTest) && { defaultTest: testOf(defaultTest, read) }),
  };
}

function testsOf(tests: unknown, read: ReadSuiteFile): unknown {
  if (typeof tests === 'string') return fromFile(tests, read) ?? tests;
  if (!Array.isArray(tests)) return tests;
  return tests.flatMap((one: unknown) => {
    const found = typeof one === 'string' ? fromFile(one, read) : undefined;
    return found ?? [testOf(one, read)];
  });
}

/** Undefined for a script, an address, or a file that is not there. */
function fromFile(name: string, read: ReadSuiteFile): unknown[] | undefined {
  const path = name.replace(/^file:\/\//, '');
  const ending = /\.(csv|ya?ml|json|jsonl)$/.exec(path)?.[1];
  const text = ending === undefined ? undefined : read(path);
  if (text === undefined) return undefined;
  if (ending === 'csv') return testsInCsv(text);
  const found: unknown = ending === 'jsonl' ? text.trim().split('\n').map(parseJson) : parsed(text);
  const list: unknown = isJsonObject(found) && 'tests' in found ? found['tests'] : found;
  return (Array.isArray(list) ? (list as unknown[]) : [list]).map((one) => testOf(one, read));
}

function testOf(test: unknown, read: ReadSuiteFile): unknown {
  if (!isJsonObject(test)) return test;
  const { assert, vars } = test;
  const list: unknown = typeof vars === 'string' ? parsed(read(vars.replace(/^file:\/\//, '')) ?? vars) : vars;
  return {
    ...test,
    ...(vars !== undefined && { vars: isJsonObject(list) ? filledVars(list, read) : list }),
    ...(Array.isArray(assert) && { assert: assert.map((one: unknown) => assertOf(one, read)) }),
  };
}

function filledVars(vars: Readonly<Record<string, unknown>>, read: ReadSuiteFile): Record<string, unknown> {
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, textOf(value, read) ?? value]));
}

function assertOf(assert: unknown, read: ReadSuiteFile): unknown {
  if (!isJsonObject(assert)) return assert;
  const text = textOf(assert['value'], read);
  return text === undefined ? assert : { ...assert, value: text };
}

/** A text file may hold several prompts, parted by lines of dashes. */
function promptOf(prompt: unknown, read: ReadSuiteFile): unknown {
  const name = isJsonObject(prompt) ? (prompt['raw'] ?? prompt['id']) : prompt;
  const isText = typeof name === 'string' && /\.(txt|md)$/.test(name) && !name.includes('\n');
  const text = isText ? read(name.replace(/^file:\/\//, '')) : undefined;
  return text === undefined ? prompt : { raw: (text.split(/^---\s*$/m)[0] ?? text).trim() };
}

/** Of `file://…` that names a text; JSON and YAML are the value that they hold. */
function textOf(value: unknown, read: ReadSuiteFile): unknown {
  const path = typeof value === 'string' ? /^file:\/\/(\S+\.(?:txt|md|json|ya?ml))$/.exec(value)?.[1] : undefined;
  const text = path === undefined ? undefined : read(path);
  if (path === undefined || text === undefined) return undefined;
  return /\.(txt|md)$/.test(path) ? text.trim() : parsed(text);
}

/** What is no YAML is a text. */
function parsed(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 50 });
  } catch (notYaml) {
    void notYaml;
    return text;
  }
}

/** What a cell of `__expected` may begin with, where promptfoo has another name for it. */
const SHORT: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

/** Tests of a suite in a CSV file: a row is a test, a column a variable; columns that begin with `__` say what is expected. */
export function testsInCsv(text: string): Record<string, unknown>[] {
  const [head = [], ...rows] = cellsIn(text);
  return rows.map((row) => {
    const cells = head.map((name, index) => [name.trim(), row[index] ?? ''] as const);
    const ofTest = (name: string) => cells.find(([key]) => key === `__${name}`)?.[1];
    const description = ofTest('description');
    const metadata = cells.flatMap(([name, value]) =>
      name.startsWith('__metadata:') ? [[name.slice(11), value]] : [],
    );
    return {
      ...(description !== undefined && description !== '' && { description }),
      vars: Object.fromEntries(cells.filter(([name]) => !name.startsWith('__'))),
      assert: cells.flatMap(([name, value]) => (/^__expected\d*$/.test(name) && value !== '' ? [assertIn(value)] : [])),
      ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) as Record<string, unknown> }),
    };
  });
}

/** `contains: Paris`, `similar(0.8): Paris`; without a type it is what must be said, word for word. */
function assertIn(cell: string): Record<string, unknown> {
  const found = /^\s*((?:not-)?[a-z][a-z-]*)(?:\(([\d.]+)\))?:([\s\S]*)$/.exec(cell);
  if (found === null) return { type: 'equals', value: cell };
  const [, name = '', threshold, value = ''] = found;
  const isList = /^(?:not-)?i?contains-(?:any|all)$/.test(name);
  return {
    type: SHORT[name] ?? name,
    value: isList ? value.split(',').map((part) => part.trim()) : value.trim(),
    ...(threshold !== undefined && { threshold: Number(threshold) }),
  };
}

/** RFC 4180: cells in quotes may hold commas, line breaks and doubled quotes. */
function cellsIn(text: string): string[][] {
  const rows: string[][] = [[]];
  const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  const plain = text.replace(/^\uFEFF/, '').trimEnd();
  for (const [whole, quoted, bare = '', end] of plain.matchAll(CELL)) {
    if (whole === '' && (rows.at(-1)?.length ?? 0) === 0) break;
    rows.at(-1)?.push(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows.filter((row) => row.some((cell) => cell !== ''));
}

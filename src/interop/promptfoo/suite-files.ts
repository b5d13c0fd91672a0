/** Resolves the files that a suite names: tests in YAML, JSON and CSV, texts of prompts and values. Scripts stay file names. */
import { parse } from 'yaml';
import { parseJson } from '../../parse-json.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';

/** Reads a file next to the suite; undefined when it is missing or may not be read. */
export type ReadSuiteFile = (path: string) => string | undefined;

export function withFiles(config: unknown, read: ReadSuiteFile): unknown {
  if (!isJsonObject(config)) return config;
  const { tests, prompts, defaultTest } = config;
  return {
    ...config,
    ...(tests !== undefined && { tests: resolveTests(tests, read) }),
    ...(prompts !== undefined && {
      prompts: Array.isArray(prompts)
        ? prompts.map((one: unknown) => resolvePrompt(one, read))
        : resolvePrompt(prompts, read),
    }),
    ...(isJsonObject(defaultTest) && { defaultTest: resolveTest(defaultTest, read) }),
  };
}

function resolveTests(tests: unknown, read: ReadSuiteFile): unknown {
  if (typeof tests === 'string') return readTestsFile(tests, read) ?? tests;
  if (!Array.isArray(tests)) return tests;
  return tests.flatMap((one: unknown) => {
    const found = typeof one === 'string' ? readTestsFile(one, read) : undefined;
    return found ?? [resolveTest(one, read)];
  });
}

/** Returns undefined for a script, an address, or a missing file. */
function readTestsFile(name: string, read: ReadSuiteFile): unknown[] | undefined {
  const path = name.replace(/^file:\/\//, '');
  const ending = /\.(csv|ya?ml|json|jsonl)$/.exec(path)?.[1];
  const text = ending === undefined ? undefined : read(path);
  if (text === undefined) return undefined;
  if (ending === 'csv') return testsInCsv(text);
  const found: unknown = ending === 'jsonl' ? text.trim().split('\n').map(parseJson) : parseYaml(text);
  const list: unknown = isJsonObject(found) && 'tests' in found ? found['tests'] : found;
  return (Array.isArray(list) ? (list as unknown[]) : [list]).map((one) => resolveTest(one, read));
}

function resolveTest(test: unknown, read: ReadSuiteFile): unknown {
  if (!isJsonObject(test)) return test;
  const { assert, vars } = test;
  const list: unknown = typeof vars === 'string' ? parseYaml(read(vars.replace(/^file:\/\//, '')) ?? vars) : vars;
  return {
    ...test,
    ...(vars !== undefined && { vars: isJsonObject(list) ? filledVars(list, read) : list }),
    ...(Array.isArray(assert) && { assert: assert.map((one: unknown) => resolveAssert(one, read)) }),
  };
}

function filledVars(vars: Readonly<Record<string, unknown>>, read: ReadSuiteFile): Record<string, unknown> {
  return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, readValueFile(value, read) ?? value]));
}

function resolveAssert(assert: unknown, read: ReadSuiteFile): unknown {
  if (!isJsonObject(assert)) return assert;
  const text = readValueFile(assert['value'], read);
  return text === undefined ? assert : { ...assert, value: text };
}

/** A text file may hold several prompts, separated by lines of dashes. */
function resolvePrompt(prompt: unknown, read: ReadSuiteFile): unknown {
  const name = isJsonObject(prompt) ? (prompt['raw'] ?? prompt['id']) : prompt;
  const isText = typeof name === 'string' && /\.(txt|md)$/.test(name) && !name.includes('\n');
  const text = isText ? read(name.replace(/^file:\/\//, '')) : undefined;
  return text === undefined ? prompt : { raw: (text.split(/^---\s*$/m)[0] ?? text).trim() };
}

/** Reads the file of a `file://…` value: a text, or the value of a JSON or YAML file. */
function readValueFile(value: unknown, read: ReadSuiteFile): unknown {
  const path = typeof value === 'string' ? /^file:\/\/(\S+\.(?:txt|md|json|ya?ml))$/.exec(value)?.[1] : undefined;
  const text = path === undefined ? undefined : read(path);
  if (path === undefined || text === undefined) return undefined;
  return /\.(txt|md)$/.test(path) ? text.trim() : parseYaml(text);
}

/** Returns text that is not YAML unchanged. */
function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 50 });
  } catch (notYaml) {
    void notYaml;
    return text;
  }
}

/** Prefixes of an `__expected` cell that promptfoo abbreviates. */
const ASSERT_ALIASES: Readonly<Record<string, string>> = { fn: 'javascript', eval: 'javascript', grade: 'llm-rubric' };

/** Parses a suite's CSV file: a row is a test, a column a variable; columns that begin with `__` are assertions. */
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

/** `contains: Paris`, `similar(0.8): Paris`; a cell without a type is the exact expected answer. */
function assertIn(cell: string): Record<string, unknown> {
  const found = /^\s*((?:not-)?[a-z][a-z-]*)(?:\(([\d.]+)\))?:([\s\S]*)$/.exec(cell);
  if (found === null) return { type: 'equals', value: cell };
  const [, name = '', threshold, value = ''] = found;
  const isList = /^(?:not-)?i?contains-(?:any|all)$/.test(name);
  return {
    type: ASSERT_ALIASES[name] ?? name,
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

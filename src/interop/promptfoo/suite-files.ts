/** Resolves the files that a suite names: tests in YAML, JSON and CSV, texts of prompts and values. Scripts stay file names. */
import { dirname, join } from 'node:path/posix';
import { createLineFinder } from '../../config/yaml-file.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import { parseForeignCsv, parseForeignJson, parseForeignLines, parseForeignYaml } from '../foreign-text.ts';
import { testsInCsv } from './suite-csv.ts';

/** The folder of the suite. `read` returns undefined for what is missing or may not be read; `find` lists the files of a pattern. */
export type SuiteFolder = { read: (path: string) => string | undefined; find: (pattern: string) => string[] };

export const NO_FOLDER: SuiteFolder = { read: () => undefined, find: () => [] };

/** The place of a test: a path within the suite, or a file of its own with the line of each path in the test. */
export type TestPlace = { path: string[] } | { file: string; findLine: (path: readonly string[]) => number };

/** Code in a file: `file://judge.py:grade` names a function in it. */
export type ScriptFile = { path: string; name?: string | undefined; text: string };

export function isScriptFile(value: unknown): value is ScriptFile {
  return isJsonObject(value) && typeof value['path'] === 'string' && typeof value['text'] === 'string';
}

type Placed = { test: unknown; place: TestPlace };

/** The suite with its files read; `places` names the origin of each test, in the same order. */
export function resolveSuite(config: unknown, folder: SuiteFolder): { config: unknown; places: TestPlace[] } {
  if (!isJsonObject(config)) return { config, places: [] };
  const { tests, scenarios, prompts, defaultTest } = config;
  const written = tests === undefined ? undefined : resolveTests(tests, ['tests'], folder);
  const crossed = Array.isArray(scenarios) ? crossScenarios(scenarios, folder) : [];
  const all = written ?? (crossed.length > 0 ? [] : undefined);
  const placed = Array.isArray(all) ? [...all, ...crossed] : all;
  return {
    config: {
      ...config,
      ...(placed !== undefined && { tests: Array.isArray(placed) ? placed.map(({ test }) => test) : placed.unread }),
      ...(prompts !== undefined && { prompts: [prompts].flat().flatMap((one) => resolvePrompt(one, folder)) }),
      ...(defaultTest !== undefined && { defaultTest: resolveTest(readYaml(defaultTest, folder), folder, '') }),
    },
    places: Array.isArray(placed) ? placed.map(({ place }) => place) : [],
  };
}

/** Each set of `config` is combined with each test of its scenario. */
function crossScenarios(scenarios: readonly unknown[], folder: SuiteFolder): Placed[] {
  return scenarios.flatMap((written: unknown, index) => {
    const scenario = readYaml(written, folder);
    const path = ['scenarios', String(index)];
    // The schema refuses what is no test, with its line.
    if (!isJsonObject(scenario) || !Array.isArray(scenario['config']))
      return [{ test: 'no scenario', place: { path } }];
    const own =
      scenario['tests'] === undefined ? { unread: {} } : resolveTests(scenario['tests'], [...path, 'tests'], folder);
    const tests = Array.isArray(own) ? own : [{ test: own.unread, place: { path } }];
    return scenario['config'].flatMap((data: unknown) =>
      tests.map(({ test, place }) => ({ test: mergeTests(resolveTest(data, folder, ''), test), place })),
    );
  });
}

function mergeTests(data: unknown, test: unknown): unknown {
  if (!isJsonObject(data) || !isJsonObject(test)) return test;
  const merge = (key: string) => ({ ...(data[key] as object | undefined), ...(test[key] as object | undefined) });
  const assert = [data['assert'], test['assert']].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return { ...data, ...test, vars: merge('vars'), options: merge('options'), metadata: merge('metadata'), assert };
}

/** `unread` is a value that is no list and no file that can be read. */
function resolveTests(tests: unknown, path: readonly string[], folder: SuiteFolder): Placed[] | { unread: unknown } {
  const name = isJsonObject(tests) ? tests['path'] : tests;
  if (typeof name === 'string') return readTests(name, folder) ?? { unread: name };
  if (!Array.isArray(tests)) return { unread: tests };
  return tests.flatMap((one: unknown, index): Placed[] => {
    const file = isJsonObject(one) ? one['path'] : one;
    const found = typeof file === 'string' ? readTests(file, folder) : undefined;
    return found ?? [{ test: resolveTest(one, folder, ''), place: { path: [...path, String(index)] } }];
  });
}

const toPath = (name: string): string => name.replace(/^file:\/\//, '');
const isPattern = (path: string): boolean => /[*?[\]{}]/.test(path);

/** Returns undefined for a script, an address, or a missing file. */
function readTests(name: string, folder: SuiteFolder): Placed[] | undefined {
  const files = listFiles(toPath(name), folder).map((one) => readTestsFile(one, folder));
  return files.length === 0 || files.includes(undefined) ? undefined : files.flatMap((tests) => tests ?? []);
}

function readTestsFile(path: string, folder: SuiteFolder): Placed[] | undefined {
  const ending = /\.(csv|ya?ml|json|jsonl)$/.exec(path)?.[1];
  const text = ending === undefined ? undefined : folder.read(path);
  if (text === undefined) return undefined;
  const own = (test: unknown, findLine: (at: readonly string[]) => number): Placed => ({
    test: resolveTest(test, folder, dirname(path)),
    place: { file: path, findLine },
  });
  if (ending === 'csv') return testsInCsv(text, path).map(({ line, test }) => own(test, () => line));
  if (ending === 'jsonl') return parseForeignLines(text, path).map(({ line, value }) => own(value, () => line));
  const found = ending === 'json' ? parseForeignJson(text, path) : parseForeignYaml(text, path);
  const isWrapped = isJsonObject(found) && 'tests' in found;
  const list: unknown = isWrapped ? found['tests'] : found;
  const start = isWrapped ? ['tests'] : [];
  const findLine = createLineFinder(text);
  if (!Array.isArray(list)) return [own(list, (at) => findLine([...start, ...at]))];
  return list.map((one: unknown, index) => own(one, (at) => findLine([...start, String(index), ...at])));
}

/** `dir`: the folder of the file in which the test stands, from which a file of variables is named. */
function resolveTest(test: unknown, folder: SuiteFolder, dir: string): unknown {
  if (!isJsonObject(test)) return test;
  const { assert, vars, options, transform } = test;
  return {
    ...test,
    ...(transform !== undefined && { transform: readScript(transform, folder) }),
    ...(isJsonObject(options) && { options: resolveTransforms(options, folder) }),
    ...(vars !== undefined && { vars: resolveVars(vars, folder, dir) }),
    ...(Array.isArray(assert) && { assert: assert.map((one: unknown) => resolveAssert(one, folder)) }),
  };
}

/** Variables, or files or patterns of files that hold them; the last file wins. */
function resolveVars(vars: unknown, folder: SuiteFolder, dir: string): unknown {
  if (isJsonObject(vars))
    return Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, readVariable(value, folder)]));
  const names = [vars]
    .flat()
    .filter((one) => typeof one === 'string')
    .map((one) => join(dir, toPath(one)));
  const files = names.flatMap((one) => listFiles(one, folder));
  const found = files.map((one) => readYaml(one, folder));
  return found.length > 0 && found.every(isJsonObject) ? (Object.assign({}, ...found) as unknown) : vars;
}

/** A variable that names a file is its text; a pattern of files makes a list, and so a test of each. What is no text stays a name. */
function readVariable(value: unknown, folder: SuiteFolder): unknown {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.map((one) => readVariable(one, folder));
  const path = typeof value === 'string' ? /^file:\/\/(.+)(?<!\.(?:[cm]?[jt]s|py))$/.exec(value)?.[1] : undefined;
  if (path === undefined) return value;
  const texts = listFiles(path, folder).map((one) => {
    const text = folder.read(one);
    return text === undefined || /[\0\uFFFD]/.test(text) ? undefined : toFileText(one, text);
  });
  return texts.length === 0 || texts.includes(undefined) ? value : texts.length === 1 ? texts[0] : texts;
}

/** YAML becomes JSON there. */
function toFileText(path: string, text: string): string {
  return /\.ya?ml$/.test(path) ? JSON.stringify(parseForeignYaml(text, path)) : text.trim();
}

/** The suite's own code, inline or in a file. */
export function isCodeAssert(type: string): boolean {
  return /^(?:not-)?(?:javascript|python)$/.test(type);
}

function resolveAssert(assert: unknown, folder: SuiteFolder): unknown {
  if (!isJsonObject(assert)) return assert;
  const { assert: set, type, value } = assert;
  const isCode = typeof type === 'string' && isCodeAssert(type);
  return {
    ...resolveTransforms(assert, folder),
    ...(value !== undefined && { value: isCode ? readScript(value, folder) : readValue(value, folder) }),
    ...(Array.isArray(set) && { assert: set.map((one: unknown) => resolveAssert(one, folder)) }),
  };
}

function resolveTransforms(holder: JsonObject, folder: SuiteFolder): JsonObject {
  const named = ['transform', 'postprocess'].filter((key) => holder[key] !== undefined);
  return { ...holder, ...Object.fromEntries(named.map((key) => [key, readScript(holder[key], folder)])) };
}

/** A file of code with its text; anything else stays as it is. */
function readScript(value: unknown, folder: SuiteFolder): unknown {
  const [, path, name] =
    (typeof value === 'string' ? /^file:\/\/([^\n:]+\.(?:[cm]?[jt]s|py))(?::([\w.]+))?$/.exec(value.trim()) : null) ??
    [];
  const text = path === undefined ? undefined : folder.read(path);
  return path === undefined || text === undefined ? value : { path, text, ...omitUndefined({ name }) };
}

/** A file may hold several prompts; what a test may name them by is their label. */
function resolvePrompt(prompt: unknown, folder: SuiteFolder): unknown[] {
  const given = isJsonObject(prompt) ? prompt : {};
  const name = isJsonObject(prompt) ? (prompt['raw'] ?? prompt['id']) : prompt;
  if (typeof name !== 'string' || !/^\S[^\n]*\.(?:txt|md|j2|jsonl?|csv|ya?ml)$/.test(name)) return [prompt];
  const paths = listFiles(toPath(name), folder);
  const texts = paths.map(folder.read);
  if (texts.length === 0 || texts.includes(undefined)) return [prompt];
  return paths.flatMap((path, place) =>
    splitPrompts(path, texts[place] ?? '').map(({ raw, label }) => {
      const own = [given['label'], path.endsWith('.txt') || given['label'] === undefined ? `${path}: ${raw}` : ''];
      return { raw, label: label ?? own.filter((part) => part !== undefined && part !== '').join(': ') };
    }),
  );
}

/** Lines of dashes separate prompts in a text. CSV has a column of prompts, or a prompt in each line. */
function splitPrompts(path: string, text: string): { raw: string; label?: string }[] {
  if (/\.(?:ya?ml)$/.test(path)) return [{ raw: toFileText(path, text) }];
  const lines = text.split(/\r?\n/);
  if (path.endsWith('.jsonl')) return lines.flatMap((raw) => (raw === '' ? [] : { raw }));
  if (!/\.(?:txt|csv)$/.test(path)) return [{ raw: text }];
  if (path.endsWith('.txt'))
    return text.split(/^[ \t]*---[ \t]*\r?$/m).flatMap((raw) => (raw.trim() === '' ? [] : { raw: raw.trim() }));
  if (!text.includes(',')) {
    const rows = lines.filter((line) => line.trim() !== '');
    return rows.slice(rows[0]?.trim().toLowerCase() === 'prompt' ? 1 : 0).map((raw) => ({ raw }));
  }
  const [head = [], ...rows] = parseForeignCsv(text, path).map(({ cells }) => cells.map((cell) => cell.trim()));
  const [prompt, label] = ['prompt', 'label'].map((name) => head.indexOf(name));
  return rows.flatMap((cells) => {
    const raw = cells[prompt ?? -1] ?? '';
    return raw === '' ? [] : [{ raw, ...omitUndefined({ label: cells[label ?? -1] || undefined }) }];
  });
}

const listFiles = (path: string, folder: SuiteFolder): string[] => (isPattern(path) ? folder.find(path) : [path]);

/** The value of the YAML or JSON file that is named; anything else stays as it is. */
export function readYaml(value: unknown, folder: SuiteFolder): unknown {
  const path = typeof value === 'string' ? toPath(value) : undefined;
  const text = path === undefined || !/\.(json|ya?ml)$/.test(path) ? undefined : folder.read(path);
  return path === undefined || text === undefined ? value : parseForeignYaml(text, path);
}

/** Reads the files of `file://…` values: a text, or the value of a JSON or YAML file. Anything else stays as it is. */
function readValue(value: unknown, folder: SuiteFolder): unknown {
  if (Array.isArray(value)) return value.map((one) => readValue(one, folder));
  const path = typeof value === 'string' ? /^file:\/\/(\S+\.(?:txt|md|json|ya?ml))$/.exec(value)?.[1] : undefined;
  const text = path === undefined ? undefined : folder.read(path);
  if (path === undefined || text === undefined) return value;
  return /\.(txt|md)$/.test(path) ? text.trim() : parseForeignYaml(text, path);
}

/** The text of the checker that judges imported promptfoo assertions: comparisons, schemas and the suite's own code; no model, no clock. */
import { readOwnText } from '../../own-file.ts';

const CHECKER = readOwnText('./asserts-checker.js', import.meta.url);
const CALL_FILE = readOwnText('./call-file.js', import.meta.url);
const PYTHON_CHECKER = readOwnText('./python-checker.py', import.meta.url);
const JSON_IN_TEXT = readOwnText('./json-in-text.js', import.meta.url);
const TEXT_MEASURES = readOwnText('./text-measures.js', import.meta.url);

/** `transform` and `code` are indexes into the list of the suite's functions. */
export type CarriedAssert = {
  type: string;
  value?: unknown;
  weight?: number;
  threshold?: number;
  transform?: number;
  code?: number;
  /** Settings that the suite gives to its code. */
  config?: unknown;
  /** An exception in a file of JavaScript fails the whole test. */
  fromFile?: true;
  /** The assertions of an `assert-set`. */
  asserts?: CarriedAssert[];
};

/** Without a threshold every assertion must hold; with one their weighted share must reach it. */
export type CarriedTest = {
  asserts: CarriedAssert[];
  threshold?: number;
  transform?: number;
  vars?: unknown;
  /** The prompt with its variables, for code that reads it. */
  prompt?: string;
  /** An empty answer fails. In promptfoo it may pass, but here doing nothing must never pass. */
  needsWords?: boolean;
};

/** `table` is inserted as data; `code` are function texts that compile. */
export function assertsChecker(table: Readonly<Record<string, CarriedTest>>, code: readonly string[]): string {
  // Code that no assertion needs would only be code that no sample proves.
  const uses = (types: string): boolean => new RegExp(`"type":"(?:not-)?(?:${types})"`).test(JSON.stringify(table));
  const list = `[${code.map((one) => `\n  ${one},`).join('')}\n]`;
  const usesFiles = code.some((one) => one.includes('=> callFile('));
  const wrap = (text: string, name: string) => `(() => {\n${text.replace('export ', '')}\nreturn ${name};\n})()`;
  return fillProgram(CHECKER, {
    tests: JSON.stringify(table, null, 2),
    code: usesFiles ? `((callFile) => ${list})(${CALL_FILE.slice(CALL_FILE.indexOf('async function')).trim()})` : list,
    jsonIn: uses('contains-json') ? wrap(JSON_IN_TEXT, 'jsonIn') : 'undefined',
    measures: uses('levenshtein|word-count') ? wrap(TEXT_MEASURES, 'measures') : 'undefined',
  });
}

/** `code`: texts of Python, each with the name of its file and of the function that is called. */
export function pythonChecker(table: Readonly<Record<string, CarriedTest>>, code: readonly string[]): string {
  // JSON of JSON is a text of Python, too.
  const toLiteral = (json: string): string => JSON.stringify(json);
  return fillProgram(PYTHON_CHECKER, {
    tests: toLiteral(JSON.stringify(table)),
    code: toLiteral(`[${code.join(',')}]`),
  });
}

/** Replaces each mark `'{{name}}'`; its quotes let a linter read the program. */
function fillProgram(program: string, values: Readonly<Record<string, string>>): string {
  return program.replaceAll(/'\{\{(\w+)\}\}'/g, (mark, name: string) => values[name] ?? mark);
}

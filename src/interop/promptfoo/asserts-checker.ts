/** The text of the checker that judges imported promptfoo assertions: comparisons, schemas and the suite's own code; no model, no clock. */
import { readOwnText } from '../../own-file.ts';
import { fillProgram } from '../fill-program.ts';

const CHECKER = readOwnText('./asserts-checker.js', import.meta.url);
const JSON_IN_TEXT = readOwnText('./json-in-text.js', import.meta.url);

/** `transform` and `code` are indexes into the list of the suite's functions. */
export type CarriedAssert = {
  type: string;
  value?: unknown;
  weight?: number;
  threshold?: number;
  transform?: number;
  code?: number;
  /** The assertions of an `assert-set`. */
  asserts?: CarriedAssert[];
};

/** Without a threshold every assertion must hold; with one their weighted share must reach it. */
export type CarriedTest = {
  asserts: CarriedAssert[];
  threshold?: number;
  transform?: number;
  vars?: unknown;
  /** An empty answer fails. In promptfoo it may pass, but here doing nothing must never pass. */
  needsWords?: boolean;
};

/** `table` is inserted as data; `code` are function texts that compile. */
export function assertsChecker(table: Readonly<Record<string, CarriedTest>>, code: readonly string[]): string {
  // Code that no assertion needs would only be code that no sample proves.
  const findsJson = /"type":"(?:not-)?contains-json"/.test(JSON.stringify(table));
  const search = `(() => {\n${JSON_IN_TEXT.replace('export function*', 'function*')}\nreturn jsonIn;\n})()`;
  return fillProgram(CHECKER, {
    tests: JSON.stringify(table, null, 2),
    code: `[${code.map((one) => `\n  ${one},`).join('')}\n]`,
    jsonIn: findsJson ? search : 'undefined',
  });
}

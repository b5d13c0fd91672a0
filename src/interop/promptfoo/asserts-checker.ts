/** The text of the checker that judges imported promptfoo assertions: comparisons, schemas and the suite's own code; no model, no clock. */
import { readOwnText } from '../../own-file.ts';
import { fillProgram } from '../fill-program.ts';

const CHECKER = readOwnText('./asserts-checker.js', import.meta.url);

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
export type CarriedTest = { asserts: CarriedAssert[]; threshold?: number; transform?: number; vars?: unknown };

/** `table` is inserted as data; `code` are function texts that compile. */
export function assertsChecker(table: Readonly<Record<string, CarriedTest>>, code: readonly string[]): string {
  return fillProgram(CHECKER, {
    tests: JSON.stringify(table, null, 2),
    code: `[${code.map((one) => `\n  ${one},`).join('')}\n]`,
  });
}

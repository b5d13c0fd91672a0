/** The tests of a suite one by one, and the keys of a suite that are not carried over. */
import { reportLostKeys, type PromptfooConfig, type PromptfooTest } from './shapes.ts';

/** File and line of a path in a test, by the test's index; without an index, of a path in the configuration. */
export type FindPlace = (test: number | undefined, path: readonly string[]) => string;

type Lists = Record<'gaps' | 'todo', string[]>;

/** The tests with their lists of variables taken apart; `origin` is the index in the suite. */
export function listTests(config: PromptfooConfig, findPlace: FindPlace, { gaps, todo }: Lists) {
  return config.tests.flatMap((test, origin) => {
    const report = (text: string, path: readonly string[] = [], isNote = false) =>
      void (isNote ? todo : gaps).push(`${findPlace(origin, path)}: test "${test.description ?? origin + 1}": ${text}`);
    reportLostKeys('test', test, (key, isNote) => report(`its ${key} is not carried over`, [key], isNote));
    reportLostKeys('options', test.options, (key, isNote) =>
      report(`its option ${key} is not carried over`, ['options', key], isNote),
    );
    return expandTest(test, config.defaultTest, report).map((one) => ({ test: one, origin }));
  });
}

/** What is said once for the whole suite. */
export function reportConfig(config: PromptfooConfig, findPlace: FindPlace, lists: Lists): void {
  const { defaultTest, evaluateOptions } = config;
  const reportInto =
    (...path: string[]) =>
    (key: string, isNote: boolean) =>
      void lists[isNote ? 'todo' : 'gaps'].push(
        `${findPlace(undefined, [...path, key])}: ${[...path, key].join('.')} is not carried over`,
      );
  reportLostKeys('suite', config, reportInto());
  reportLostKeys('evaluateOptions', evaluateOptions, reportInto('evaluateOptions'));
  reportLostKeys('test', defaultTest, reportInto('defaultTest'));
  reportLostKeys('options', defaultTest?.options, reportInto('defaultTest', 'options'));
}

const MOST_TESTS = 100;

/** Returns one test for each combination of its lists of variables. */
function expandTest(
  test: PromptfooTest,
  defaults: PromptfooConfig['defaultTest'],
  gap: (text: string) => void,
): PromptfooTest[] {
  if (test.options?.disableVarExpansion === true) return [test];
  const vars = { ...defaults?.vars, ...test.vars };
  let made: Record<string, unknown>[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    made = made.flatMap((one) => values.map((each) => ({ ...one, [name]: each })));
  }
  if (made.length > MOST_TESTS)
    gap(`its lists of variables make ${made.length} tests; the first ${MOST_TESTS} were taken`);
  if (made.length === 1) return [{ ...test, vars: made[0] ?? {} }];
  return made.slice(0, MOST_TESTS).map((own, index) => ({
    ...test,
    description: `${test.description ?? 'test'} ${index + 1} of ${Math.min(made.length, MOST_TESTS)}`,
    vars: own,
  }));
}

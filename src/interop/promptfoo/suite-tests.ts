/** The tests of a suite one by one, and the keys of a suite that are not carried over. */
import { reportLostKeys, type PromptfooConfig, type PromptfooPrompt, type PromptfooTest } from './shapes.ts';

/** File and line of a path in a test, by the test's index; without an index, of a path in the configuration. */
export type FindPlace = (test: number | undefined, path: readonly string[]) => string;

type Lists = Record<'gaps' | 'todo', string[]>;

/** The tests with their defaults, and with their lists of variables taken apart; `origin` is the index in the suite. */
export function listTests(config: PromptfooConfig, findPlace: FindPlace, { gaps, todo }: Lists) {
  return config.tests.flatMap((test, origin) => {
    const report = (text: string, path: readonly string[] = [], isNote = false) =>
      void (isNote ? todo : gaps).push(`${findPlace(origin, path)}: test "${test.description ?? origin + 1}": ${text}`);
    reportLostKeys('test', test, (key, isNote) => report(`its ${key} is not carried over`, [key], isNote));
    reportLostKeys('options', test.options, (key, isNote) =>
      report(`its option ${key} is not carried over`, ['options', key], isNote),
    );
    const whole = withDefaults(test, config.defaultTest);
    if (!listPrompts(config).some((prompt) => isAllowed(prompt, whole['prompts'])))
      report('its prompts name none of the suite, so it is not asked', ['prompts']);
    return expandTest(whole, report).map((one) => ({ test: one, origin }));
  });
}

/** Reports once what concerns the whole suite. */
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

/** A suite without prompts asks what its variable `prompt` says. */
export function listPrompts({ prompts = [] }: PromptfooConfig): PromptfooPrompt[] {
  return prompts.length === 0 ? ['{{prompt}}'] : prompts;
}

/** A test may name its prompts by label, by the beginning of one with a colon after it, or by a pattern such as `short*`. */
export function isAllowed(prompt: PromptfooPrompt, allowed: unknown): boolean {
  if (!Array.isArray(allowed)) return true;
  const names = typeof prompt === 'string' ? [prompt] : [prompt.label ?? prompt.raw ?? '', prompt.id ?? ''];
  return allowed.map(String).some((wanted) => {
    const start = wanted.endsWith('*') ? wanted.slice(0, -1) : `${wanted}:`;
    return names.some((name) => name === wanted || name.startsWith(start));
  });
}

const MOST_TESTS = 100;

/** The assertions of both stay apart, because their places differ. */
function withDefaults(test: PromptfooTest, defaults: PromptfooConfig['defaultTest'] = {}): PromptfooTest {
  const merge = (key: 'vars' | 'options' | 'metadata') => ({ [key]: { ...defaults[key], ...test[key] } });
  const { assert: _assert, description: _description, ...rest } = defaults;
  return { ...rest, ...test, ...merge('vars'), ...merge('options'), ...merge('metadata') };
}

/** Returns one test for each combination of its lists of texts; any other list is one value. */
function expandTest(test: PromptfooTest, gap: (text: string) => void): PromptfooTest[] {
  if (test.options?.disableVarExpansion === true) return [test];
  let made: Record<string, unknown>[] = [{}];
  for (const [name, value] of Object.entries(test.vars ?? {})) {
    const values: unknown[] = Array.isArray(value) && typeof value[0] === 'string' ? value : [value];
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

/** Imports a promptfoo configuration as samples, the checker that judges them, and the rule that they cover. */
import { stringify } from 'yaml';
import type { GraderSpec } from '../../scenario/grader.ts';
import type { Sample } from '../../scenario/sample.ts';
import { createSlugs, jsonFile, type ImportedFiles } from '../imported-files.ts';
import { assertsChecker, type CarriedAssert, type CarriedTest } from './asserts-checker.ts';
import {
  carriedCode,
  carryAsserts,
  createCodeList,
  listDeciding,
  fillNames,
  type CarriedAsserts,
  type CodeList,
} from './asserts.ts';
import type { PromptfooConfig, PromptfooTest } from './shapes.ts';

/** `lineOf`: the line at which a test begins, by its index; default: gaps name only the test. */
export function importPromptfoo(
  config: PromptfooConfig,
  shown: string,
  lineOf?: (index: number) => number,
): ImportedFiles {
  const slug = createSlugs('test');
  const gaps: string[] = [];
  const taken = new Set<string>();
  const graders = createGraders();
  const code = createCodeList();
  const tests = config.tests.flatMap((test, index) => {
    const at = lineOf === undefined ? shown : `${shown}:${lineOf(index)}`;
    const report = (gap: string) => void gaps.push(`${at}: test "${test.description ?? index + 1}": ${gap}`);
    return expandTest(test, config.defaultTest, report).map((one) => ({ test: one, at }));
  });
  const made = tests.map(({ test, at }, index) => {
    const base = slug(test.description ?? `test-${index + 1}`);
    const id = taken.has(base) ? `${base}-${index + 1}` : base;
    taken.add(id);
    const report = (gap: string) => void gaps.push(`${at}: test "${test.description ?? index + 1}": ${gap}`);
    return toSample(config, { test, id, graders, code }, report);
  });
  const table = Object.fromEntries(made.map(({ sample, carried }) => [sample.id, carried]));
  return {
    files: [
      ...made.map(({ sample }) => jsonFile(`samples/${sample.id}.json`, sample)),
      { path: 'checkers/asserts.mjs', content: assertsChecker(table, code.texts) },
      ...graders.files(),
      { path: 'design/business_rules.yaml', content: rulesText(config) },
    ],
    gaps: [
      ...gaps,
      'a promptfoo test has no world and no tools: the samples start in an empty world and must leave it as it is',
      'design/format_spec.yaml and unified_scenario_design.md are not made: a design needs at least one tool',
    ],
  };
}

function toSample(
  config: PromptfooConfig,
  { test, id, graders, code }: { test: PromptfooTest; id: string; graders: Graders; code: CodeList },
  gap: (text: string) => void,
): { sample: Sample; carried: CarriedTest } {
  const all = [...(config.defaultTest?.assert ?? []), ...(test.assert ?? [])];
  const vars = { ...config.defaultTest?.vars, ...test.vars };
  const { asserts, rubrics } = carryAsserts(all, { vars, code, report: gap });
  const whole = wholeTest(
    config,
    { test, code, rubrics: rubrics.length, left: asserts.length < listDeciding(all).length },
    gap,
  );
  const carried = { asserts, ...whole, ...(hasCode({ asserts, ...whole }) && { vars }) };
  if (asserts.length + rubrics.length === 0) gap('no assertion is left, so nothing can fail it');
  if (rubrics.length > 0)
    gap('its rubrics became graders: write gold_says and wrong_says so that they can prove themselves');
  const category = test.metadata?.['category'];
  const isSlug = typeof category === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(category);
  const gold = whole.transform === undefined ? createGoldAnswer(asserts) : undefined;
  if (gold === undefined) gap('write gold_says by hand: no text that satisfies its assertions could be put together');
  const sample: Sample = {
    id,
    title: test.description ?? id,
    category: isSlug ? category : 'imported',
    covers: ['R1'],
    start: { world: {} },
    user: {
      says_first: promptFor(config, test, gap),
      knows: {},
      does_not_know: [],
      stops_when: 'the agent has answered',
    },
    expect: { end_state: 'unchanged', must_say: [], must_not_call: [] },
    gold: [],
    gold_says: gold ?? 'To be written.',
    wrong: [],
    wrong_says: 'I do not know.',
    checkers: ['asserts'],
    ...(rubrics.length > 0 && { graders: [...new Set(rubrics.map((rubric) => graders.idOf(rubric)))] }),
    limits: {},
  };
  return { sample, carried };
}

/** The parts that concern a whole test: the transform of its answer, and the threshold of its assertions. */
function wholeTest(
  { defaultTest }: PromptfooConfig,
  { test, code, rubrics, left }: { test: PromptfooTest; code: CodeList; rubrics: number; left: boolean },
  gap: (text: string) => void,
): Pick<CarriedTest, 'threshold' | 'transform'> {
  const transform = carriedCode(test.options?.transform ?? test['transform'] ?? defaultTest?.options?.transform, code);
  if (typeof transform === 'string') gap(`the test’s own transform ${transform}, and is not carried over`);
  if (transform !== undefined && rubrics > 0)
    gap('its graders read the answer as it is, without the test’s own transform');
  const threshold = test.threshold ?? defaultTest?.threshold;
  if (threshold !== undefined && rubrics > 0)
    gap(`the test’s own threshold ${threshold} counts rubrics too, and is not carried over: each assertion must hold`);
  else if (threshold !== undefined && left)
    gap(`the test’s own threshold ${threshold} is of those assertions that are left`);
  return {
    ...(typeof transform === 'number' && { transform }),
    ...(threshold !== undefined && rubrics === 0 && { threshold }),
  };
}

/** The test's variables are needed when the suite's code may read them. */
function hasCode(carried: CarriedTest): boolean {
  return /"(?:code|transform)":\d/.test(JSON.stringify(carried));
}

function promptFor(
  { prompts, defaultTest }: PromptfooConfig,
  test: PromptfooTest,
  gap: (text: string) => void,
): string {
  const vars = { ...defaultTest?.vars, ...test.vars };
  const list = prompts === undefined ? [] : Array.isArray(prompts) ? prompts : [prompts];
  if (list.length > 1) gap(`it has ${list.length} prompts; only the first was taken`);
  const [first] = list;
  const template = typeof first === 'string' ? first : (first?.raw ?? first?.id ?? '');
  if (/^file:\/\/|\.(txt|json|yaml|js|py)$/.test(template))
    gap(`its prompt is the file ${template}: put the text into user.says_first`);
  const text = fillNames(template, vars);
  if (/(^|\s)file:\/\/\S/.test(text))
    gap('a variable is a file that is no text: put what it says into user.says_first');
  if (/\{[{%]/.test(text)) gap('its prompt holds template code that was not filled in');
  return text.trim() === '' ? Object.values(vars).map(String).join('\n') || 'Hello.' : text;
}

/** The shortest text that satisfies the assertions; undefined when it cannot be constructed. */
function createGoldAnswer(asserts: readonly CarriedAssert[]): string | undefined {
  const wanted = asserts.filter(({ type }) => !type.startsWith('not-'));
  const whole = wanted.find(({ type }) => type === 'equals');
  if (whole !== undefined) return typeof whole.value === 'string' ? whole.value : JSON.stringify(whole.value);
  const isHard = ({ type, transform, asserts: set }: CarriedAssert): boolean =>
    transform !== undefined || set !== undefined || /^(regex|is-json|contains-json|javascript)$/.test(type);
  if (wanted.some(isHard)) return undefined;
  const parts = wanted
    .toSorted((a, b) => Number(b.type === 'starts-with') - Number(a.type === 'starts-with'))
    .flatMap(({ type, value }) => {
      const values = (Array.isArray(value) ? value : [value ?? '']).map((one: unknown) =>
        typeof one === 'string' ? one : JSON.stringify(one),
      );
      return type.endsWith('-any') ? values.slice(0, 1) : values;
    });
  return parts.join(' ') || 'An answer.';
}

type Graders = ReturnType<typeof createGraders>;

/** Creates one grader per rubric, shared by all tests that use it. */
function createGraders() {
  const texts = new Map<string, GraderSpec>();
  return {
    idOf({ text, isNegated }: CarriedAsserts['rubrics'][number]): string {
      const key = `${isNegated} ${text}`;
      const id = texts.get(key)?.id ?? `rubric-${texts.size + 1}`;
      const [met, missed] = [`The answer meets this: ${text}`, `The answer does not meet this: ${text}`];
      const [pass_when, fail_when] = isNegated ? [missed, met] : [met, missed];
      texts.set(key, { id, question: `Does the answer meet this? ${text}`, rules: ['R1'], pass_when, fail_when });
      return id;
    },
    files: () =>
      [...texts.values()].map((grader) => ({ path: `graders/${grader.id}.yaml`, content: stringify(grader) })),
  };
}

function rulesText({ description }: PromptfooConfig): string {
  return [
    'version: 1',
    'rules:',
    '  - id: R1',
    '    title: Answers as the suite asserts',
    `    text: ${JSON.stringify(`The answer satisfies the assertions of the promptfoo suite${description === undefined ? '' : ` "${description}"`}.`)}`,
    '    severity: must',
    '',
  ].join('\n');
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

/** Imports a promptfoo configuration as samples, the checker that judges them, and the rule that they cover. */
import type { Sample } from '../../scenario/sample.ts';
import { createSlugs, jsonFile, type ImportedFiles } from '../imported-files.ts';
import { assertsChecker, pythonChecker, type CarriedTest } from './asserts-checker.ts';
import { APART, carryAsserts, carryCode, describeJudge, listDeciding, type SuiteCode } from './asserts.ts';
import { fillVars } from './fill-text.ts';
import { acceptsSilence, createGoldAnswer, createWrongAnswer } from './made-answers.ts';
import { createGraders, type Graders } from './suite-graders.ts';
import { isAllowed, listPrompts, listTests, reportConfig, type FindPlace } from './suite-tests.ts';
import { reportDates, writePrompt } from './test-prompt.ts';
import { type PromptfooConfig, type PromptfooPrompt, type PromptfooTest } from './shapes.ts';

/** `findPlace`: default: gaps name only the test. */
export function importPromptfoo(
  config: PromptfooConfig,
  shown: string,
  findPlace: FindPlace = () => shown,
): ImportedFiles {
  const slug = createSlugs('test');
  const [gaps, todo]: [string[], string[]] = [[], []];
  reportConfig(config, findPlace, { gaps, todo });
  const taken = new Set<string>();
  const parts: SuiteParts = { graders: createGraders(), code: [], python: [] };
  const tests = listTests(config, findPlace, { gaps, todo });
  const ids = tests.map(({ test }, index) => {
    const base = slug(test.description ?? `test-${index + 1}`);
    const id = taken.has(base) ? `${base}-${index + 1}` : base;
    taken.add(id);
    return id;
  });
  // What is true of a test with each of several prompts is said once.
  const said = new Set<string>();
  const made = listPrompts(config).flatMap((prompt, place) =>
    tests.flatMap(({ test, origin }, index) => {
      if (!isAllowed(prompt, test['prompts'])) return [];
      const reportInto =
        (list: string[]): ReportGap =>
        (text, path = [], isDefault = false) => {
          const at = findPlace(isDefault ? undefined : origin, path);
          const whole = `${at}: test "${test.description ?? index + 1}": ${text}`;
          if (!said.has(whole)) list.push(whole);
          said.add(whole);
        };
      const own = ids[index] ?? `test-${index + 1}`;
      const id = place === 0 ? own : slug(`${own}-prompt-${place + 1}`);
      return toSample(config, { test, prompt, id, ...parts }, { gap: reportInto(gaps), todo: reportInto(todo) });
    }),
  );
  return {
    files: [
      ...made.map(({ sample }) => jsonFile(`samples/${sample.id}.json`, sample)),
      ...writeCheckers(made, parts),
      ...parts.graders.files,
      { path: 'design/business_rules.yaml', content: rulesText(config) },
    ],
    gaps,
    todo: [
      ...todo,
      'a promptfoo test has no world and no tools: the samples start in an empty world and must leave it as it is',
      'design/format_spec.yaml and unified_scenario_design.md are not made: a design needs at least one tool',
    ],
  };
}

type MadeSample = { sample: Sample; carried: CarriedTest; inPython: CarriedTest };

/** A checker that no sample names is not written. */
function writeCheckers(made: readonly MadeSample[], { code, python }: SuiteCode): ImportedFiles['files'] {
  const tableFor = (key: 'carried' | 'inPython', checker: string) =>
    Object.fromEntries(
      made.filter(({ sample }) => sample.checkers.includes(checker)).map((one) => [one.sample.id, one[key]]),
    );
  const [plain, own] = [tableFor('carried', CHECKER), tableFor('inPython', PYTHON_CHECKER)];
  const files: ImportedFiles['files'] = [];
  if (Object.keys(plain).length > 0)
    files.push({ path: `checkers/${CHECKER}.mjs`, content: assertsChecker(plain, code) });
  if (Object.keys(own).length > 0)
    files.push({ path: `checkers/${PYTHON_CHECKER}.py`, content: pythonChecker(own, python) });
  return files;
}

const [CHECKER, PYTHON_CHECKER] = ['asserts', 'asserts-python'];

/** `path`: the place within the test, or within the configuration for what every test has by default. */
type ReportGap = (gap: string, path?: readonly string[], isDefault?: boolean) => void;
/** `gap`: what is lost of the suite; `todo`: what a person has to add, because the suite does not say it. */
type Reports = { gap: ReportGap; todo: ReportGap };

/** Shared by all tests of a suite: their graders, and the code that they carry. */
type SuiteParts = SuiteCode & { graders: Graders };
type TestParts = SuiteParts & { test: PromptfooTest; prompt: PromptfooPrompt; id: string };

function toSample(
  config: PromptfooConfig,
  { test, prompt, id, graders, code, python: pythonCode }: TestParts,
  { gap, todo }: Reports,
): MadeSample {
  const defaults = test.options?.disableDefaultAsserts === true ? [] : (config.defaultTest?.assert ?? []);
  const all = [...defaults, ...(test.assert ?? [])];
  const vars = fillVars(test.vars ?? {});
  const known = { env: config['env'], ...vars };
  const { said, prompt: written } = writePrompt({ test, prompt, vars: known }, { gap, todo });
  const { asserts, python, rubrics, limits } = carryAsserts(all, {
    ...{ vars: known, code, python: pythonCode },
    report: (text, index, isNote = false) =>
      index < defaults.length
        ? (isNote ? todo : gap)(text, ['defaultTest', 'assert', String(index)], true)
        : (isNote ? todo : gap)(text, ['assert', String(index - defaults.length)]),
  });
  reportDates({ vars, values: all.map(({ value }) => value) }, todo);
  const isWhole = asserts.length + python.length >= listDeciding(all).length;
  const apart = rubrics.length + (asserts.length > 0 ? python.length : 0);
  const whole = wholeTest({ test, code, apart, hasReaders: rubrics.length + python.length > 0, left: !isWhole }, gap);
  const judged: CarriedTest = { asserts: [...asserts, ...python], ...whole };
  const isSilent = acceptsSilence(judged);
  const readsPrompt = [...code, ...pythonCode].some((text) => /\bprompt\b/.test(text));
  const context = { vars, ...(readsPrompt && { prompt: written }) };
  const carried = {
    ...judged,
    asserts,
    ...{ ...(isSilent && { needsWords: true }), ...(hasCode(asserts, whole) && context) },
  };
  const kept = judged.asserts.length + rubrics.length + Object.keys(limits).length;
  reportDecided({ asserted: all.length, kept, isSilent: isSilent && asserts.length > 0 }, { gap, todo });
  if (rubrics.length > 0) reportGrading(test.options ?? {}, { gap, todo });
  const { gold, wrong } = createAnswers(judged, todo);
  const sample: Sample = {
    id,
    title: test.description ?? id,
    category: readCategory(test),
    covers: ['R1'],
    start: { world: {} },
    user: {
      says_first: said,
      knows: {},
      does_not_know: [],
      stops_when: 'the agent has answered',
    },
    expect: { end_state: 'unchanged', must_say: [], must_not_call: [] },
    gold: [],
    gold_says: gold,
    wrong: [],
    wrong_says: wrong,
    checkers: [
      ...(asserts.length > 0 || python.length === 0 ? [CHECKER] : []),
      ...(python.length > 0 ? [PYTHON_CHECKER] : []),
    ],
    ...(rubrics.length > 0 && { graders: [...new Set(rubrics.map((rubric) => graders.nameGrader(rubric)))] }),
    limits,
  };
  return { sample, carried, inPython: { asserts: python, ...whole, ...context } };
}

type Decided = { asserted: number; kept: number; isSilent: boolean };

function reportDecided({ asserted, kept, isSilent }: Decided, { gap, todo }: Reports): void {
  if (asserted === 0) todo('it asserts nothing, there as here: nothing can fail it');
  else if (kept === 0) gap('no assertion is left, so nothing can fail it');
  else if (isSilent)
    gap('an empty answer passes it in promptfoo: here it fails, because doing nothing must never pass');
}

function readCategory({ metadata }: PromptfooTest): string {
  const category = metadata?.['category'];
  return typeof category === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(category) ? category : 'imported';
}

function reportGrading(options: Readonly<Record<string, unknown>>, { gap, todo }: Reports): void {
  todo('its rubrics became graders: write gold_says and wrong_says so that they can prove themselves');
  if (options['provider'] !== undefined) todo(describeJudge(options['provider']));
  if (options['rubricPrompt'] !== undefined)
    gap('the rubricPrompt of its options is not used: graders have prompts/grader.md');
}

function createAnswers(judged: CarriedTest, todo: ReportGap): { gold: string; wrong: string } {
  const [gold, wrong] = [createGoldAnswer(judged), createWrongAnswer(judged)];
  const isUnsure = wrong === undefined ? ', and see whether wrong_says fails' : '';
  if (gold === undefined)
    todo(`write gold_says by hand${isUnsure}: no text that satisfies its assertions could be put together`);
  else if (wrong === undefined)
    todo('write wrong_says by hand: no text that its assertions forbid could be put together');
  return { gold: gold ?? 'To be written.', wrong: wrong ?? 'I do not know.' };
}

type WholeParts = { test: PromptfooTest; code: string[]; apart: number; hasReaders: boolean; left: boolean };

/** The parts that concern a whole test: the transform of its answer, and the threshold of its assertions. */
function wholeTest(
  { test, code, apart, hasReaders, left }: WholeParts,
  gap: ReportGap,
): Pick<CarriedTest, 'threshold' | 'transform'> {
  const written = test.options?.transform ?? test.options?.['postprocess'] ?? test['transform'];
  const transform = carryCode(written, { code, what: 'the test’s own transform', report: (text) => gap(text) });
  if (typeof transform === 'string') gap(`${transform}, and is not carried over`);
  if (transform !== undefined && hasReaders)
    gap(`its ${APART} read the answer as it is, without the test’s own transform`);
  const { threshold } = test;
  if (threshold !== undefined && apart > 0)
    gap(`the test’s own threshold ${threshold} counts ${APART} too, and is not carried over: each assertion must hold`);
  else if (threshold !== undefined && left)
    gap(`the test’s own threshold ${threshold} is of those assertions that are left`);
  return {
    ...(typeof transform === 'number' && { transform }),
    ...(threshold !== undefined && apart === 0 && { threshold }),
  };
}

/** The test's variables are needed when the suite's code may read them. */
function hasCode(...parts: readonly unknown[]): boolean {
  return /"(?:code|transform)":\d/.test(JSON.stringify(parts));
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

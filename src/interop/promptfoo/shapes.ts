/** The parts of a promptfoo configuration that can become samples; everything else is reported as a gap. */
import { z } from 'zod';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { valueAt } from '../../scenario/json/patch.ts';
import { mergeEntries, refuse } from '../foreign-text.ts';
import { schemaIssues } from '../../evaluation/components/schema-issues.ts';
import { NO_FOLDER, readYaml, resolveSuite, type SuiteFolder, type TestPlace } from './suite-files.ts';

export const PromptfooAssert = z.looseObject({
  type: z.string(),
  /** The assertions of an `assert-set`. */
  get assert() {
    return z.array(PromptfooAssert).optional();
  },
  value: z.unknown().optional(),
  metric: z.string().optional(),
  weight: z.number().optional(),
  transform: z.unknown().optional(),
  threshold: z.unknown().optional(),
  provider: z.unknown().optional(),
  rubricPrompt: z.unknown().optional(),
});
export type PromptfooAssert = z.infer<typeof PromptfooAssert>;

const ELSEWHERE = 'tests from a script, an address or a file that is not there must be put in first';

const TestShape = {
  description: z.string().optional(),
  vars: z.record(z.string(), z.unknown()).optional(),
  assert: z.array(PromptfooAssert).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  threshold: z.number().optional(),
  options: z
    .looseObject({
      disableVarExpansion: z.boolean().optional(),
      disableDefaultAsserts: z.boolean().optional(),
      transform: z.unknown().optional(),
      prefix: z.string().optional(),
      suffix: z.string().optional(),
    })
    .optional(),
};
const Test = z.looseObject(TestShape, `expected a test; ${ELSEWHERE}`);
export type PromptfooTest = z.infer<typeof Test>;

const Prompt = z.union([
  z.string(),
  z.looseObject({ raw: z.string().optional(), id: z.string().optional(), label: z.string().optional() }),
]);
export type PromptfooPrompt = z.infer<typeof Prompt>;

const Config = z.looseObject({
  description: z.string().optional(),
  prompts: z.array(Prompt).optional(),
  defaultTest: z.looseObject(TestShape).optional(),
  evaluateOptions: z.looseObject({}).optional(),
  tests: z
    .array(Test, {
      error: ({ input }) =>
        input === undefined
          ? 'it has no tests: a suite that makes them (red team, dataset) must have made them first'
          : `expected a list of tests; ${ELSEWHERE}`,
    })
    .min(1),
});
/** `places` is filled with the origin of each test. */
export function promptfooConfig(folder: SuiteFolder = NO_FOLDER, places: TestPlace[] = []) {
  return z.preprocess((raw) => {
    const { config, places: found } = resolveSuite(withoutReferences(mergeEntries(raw), folder), folder);
    places.splice(0, places.length, ...found);
    if (isJsonObject(config) && Array.isArray(config['tests'])) refuseForeignTests(config['tests'], found);
    return config;
  }, Config);
}

/** Complains about a test of another file there, because the schema knows only the lines of the suite. */
function refuseForeignTests(tests: readonly unknown[], places: readonly TestPlace[]): void {
  for (const [index, test] of tests.entries()) {
    const place = places[index];
    if (place === undefined || 'path' in place) continue;
    const { error } = Test.safeParse(test);
    const [issue] = error?.issues ?? [];
    if (error !== undefined && issue !== undefined)
      throw refuse(place.file, place.findLine(issue.path.map(String)), `${schemaIssues(error)[0]}`);
  }
}
export type PromptfooConfig = z.infer<typeof Config>;

/** Types that `checkers/asserts.mjs` checks without a model; each may also begin with `not-`. */
export const KNOWN_ASSERT =
  /^(?:not-)?(?:equals|regex|starts-with|levenshtein|word-count|(?:is|contains)-json|i?contains(?:-any|-all)?)$/;

/** Keys of a configuration, a test, its options and an assertion that are carried over, or that decide nothing about a verdict. */
const CARRIED_KEYS = {
  suite: [
    '$schema description tags prompts providers targets defaultTest tests scenarios assertionTemplates metadata',
    'evaluateOptions commandLineOptions env sharing outputPath writeLatestResults derivedMetrics tracing',
  ],
  evaluateOptions: ['maxConcurrency showProgressBar delay cache interactiveProviders generateSuggestions'],
  test: ['description vars assert metadata threshold options transform prompts'],
  options: ['transform postprocess disableVarExpansion disableDefaultAsserts prefix suffix provider rubricPrompt'],
  assertion: ['type value weight threshold transform assert metric provider rubricPrompt'],
};

/** Keys that decide about a verdict in promptfoo, and have no place here. Any other key it passes over, or hands to a model. */
const LOST_KEYS = {
  suite: ['extensions nunjucksFilters'],
  evaluateOptions: ['repeat'],
  test: ['providerOutput assertScoringFunction'],
  options: ['transformVars storeOutputAs disableConversationVar factuality repeat'],
  assertion: ['contextTransform config'],
};

const hasWord = (lines: readonly string[], word: string): boolean =>
  lines.some((line) => line.split(' ').includes(word));

export type ReportGap = (text: string, isNote?: boolean) => void;

/** Reports each key with a value that is not carried over: as a note where that loses nothing. */
export function reportLostKeys(
  place: keyof typeof LOST_KEYS,
  value: object | undefined,
  report: (key: string, isNote: boolean) => void,
): void {
  for (const [key, one] of Object.entries(value ?? {}))
    if (one !== undefined && one !== null && !hasWord(CARRIED_KEYS[place], key))
      report(key, !hasWord(LOST_KEYS[place], key));
}

/** The longest chain of references; a longer one is a cycle. */
const DEEPEST = 20;

/** Replaces `{$ref: '#/assertionTemplates/short'}` and `{$ref: 'more.yaml#/short'}` by the target; an unresolved reference stays, and is refused later. */
export function withoutReferences(config: unknown, folder: SuiteFolder = NO_FOLDER): unknown {
  const follow = (value: unknown, root: unknown, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((one: unknown) => follow(one, root, depth));
    if (!isJsonObject(value)) return value;
    const { $ref: reference, ...rest } = value;
    const [, file, pointer] = (typeof reference === 'string' ? /^([^#:]*)(?:#(\/.*)?)?$/.exec(reference) : null) ?? [];
    if (file !== undefined && depth < DEEPEST) {
      const own = file === '' ? root : readYaml(file, folder);
      const found = pointer === undefined ? own : valueAt(own, pointer);
      if (isJsonObject(found)) return follow({ ...found, ...rest }, own, depth + 1);
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, follow(one, root, depth)]));
  };
  return follow(config, config, 0);
}

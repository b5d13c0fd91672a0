/** A promptfoo configuration as samples of ours, the checker that judges them, and the rule that they cover. */
import type { Sample } from '../../scenario/sample.ts';
import { createSlugs, jsonFile, type ImportedFiles } from '../imported-files.ts';
import { assertsChecker } from './checker.ts';
import { isKnownAssert, type PromptfooAssert, type PromptfooConfig, type PromptfooTest } from './shapes.ts';

export function importPromptfoo(config: PromptfooConfig, shown: string): ImportedFiles {
  const slug = createSlugs('test');
  const gaps: string[] = [];
  const taken = new Set<string>();
  const made = config.tests.map((test, index) => {
    const base = slug(test.description ?? `test-${index + 1}`);
    const id = taken.has(base) ? `${base}-${index + 1}` : base;
    taken.add(id);
    const report = (gap: string) => void gaps.push(`${shown}: test "${test.description ?? index + 1}": ${gap}`);
    return sampleOf(config, { test, id }, report);
  });
  const table = Object.fromEntries(made.map(({ sample, asserts }) => [sample.id, asserts]));
  return {
    files: [
      ...made.map(({ sample }) => jsonFile(`samples/${sample.id}.json`, sample)),
      { path: 'checkers/asserts.mjs', content: assertsChecker(table) },
      { path: 'design/business_rules.yaml', content: rulesText(config) },
    ],
    gaps: [
      ...gaps,
      'a promptfoo test has no world and no tools: the samples start in an empty world and must leave it as it is',
      'design/format_spec.yaml and unified_scenario_design.md are not made: a design needs at least one tool',
    ],
  };
}

function sampleOf(
  config: PromptfooConfig,
  { test, id }: { test: PromptfooTest; id: string },
  gap: (text: string) => void,
): { sample: Sample; asserts: PromptfooAssert[] } {
  const all = [...(config.defaultTest?.assert ?? []), ...(test.assert ?? [])];
  const asserts = all.filter(({ type }) => isKnownAssert(type));
  const lost = all.filter(({ type }) => !isKnownAssert(type)).map(({ type }) => type);
  if (lost.length > 0)
    gap(`${[...new Set(lost)].join(', ')} cannot be checked without a model or a script, and was left out`);
  if (asserts.length === 0) gap('no assertion is left, so nothing can fail it');
  const category = test.metadata?.['category'];
  const isSlug = typeof category === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(category);
  const gold = goldFor(asserts);
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
    limits: {},
  };
  return { sample, asserts };
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
  // Only plain names are filled in, because a template language could run code.
  const text = template.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => {
    const value = vars[name];
    return value === undefined ? whole : typeof value === 'string' ? value : JSON.stringify(value);
  });
  if (/\{[{%]/.test(text)) gap('its prompt holds template code that was not filled in');
  return text.trim() === '' ? Object.values(vars).map(String).join('\n') || 'Hello.' : text;
}

/** The shortest text that satisfies the assertions; undefined where code cannot build one. */
function goldFor(asserts: readonly PromptfooAssert[]): string | undefined {
  const wanted = asserts.filter(({ type }) => !type.startsWith('not-'));
  const whole = wanted.find(({ type }) => type === 'equals');
  if (whole !== undefined) return typeof whole.value === 'string' ? whole.value : JSON.stringify(whole.value);
  if (wanted.some(({ type }) => type === 'regex' || type === 'is-json')) return undefined;
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

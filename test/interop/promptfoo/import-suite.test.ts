import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { importPromptfoo } from '../../../src/interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../../src/interop/promptfoo/shapes.ts';
import { GraderSpec } from '../../../src/scenario/grader.ts';
import { BusinessRules } from '../../../src/scenario/design.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { scratch } from '../../support/scratch.ts';

const YAML = `
description: Capitals
prompts: ["What is the capital of {{country}}? {{ hint }}", other]
providers: [openai:gpt-4.1]
defaultTest:
  vars: { hint: One word. }
  assert: [{ type: not-contains, value: sorry }]
tests:
  - description: France
    vars: { country: France }
    metadata: { category: europe }
    assert:
      - { type: icontains, value: paris }
      - { type: llm-rubric, value: is polite }
  - vars: { country: Japan }
    assert: [{ type: regex, value: '^(Tokyo|Tōkyō)$' }]
  - description: France
    vars: { country: 'France \${process.exit(1)}' }
    assert: [{ type: contains-any, value: [Paris, Lutetia] }, { type: starts-with, value: It is }]
`;

const imported = importPromptfoo(parseYaml(YAML, promptfooConfig(), 'suite.yaml'), 'suite.yaml');
const file = (path: string) => imported.files.find((one) => one.path === path)?.content ?? `no ${path}`;
const sample = (id: string) => Sample.parse(JSON.parse(file(`samples/${id}.json`)));

describe('a promptfoo suite', () => {
  test('becomes samples with stable ids, the prompt filled in, and a category', () => {
    expect(imported.files.map(({ path }) => path).slice(0, 3)).toEqual([
      'samples/france.json',
      'samples/test-2.json',
      'samples/france-3.json',
    ]);
    expect(sample('france')).toMatchObject({
      category: 'europe',
      user: { says_first: 'What is the capital of France? One word.' },
      gold_says: 'paris',
    });
    expect(sample('france-3')).toMatchObject({ category: 'imported', gold_says: 'It is Paris' });
    expect(BusinessRules.parse(parse(file('design/business_rules.yaml'))).rules).toHaveLength(1);
  });

  test('says at its test what promptfoo writes otherwise: an object in a prompt, a date without quotes', () => {
    const written = `
prompts: ['For {{guest}} of {{guest.room}} on {{day}}']
tests:
  - { description: object, vars: { guest: { room: 7 }, day: Monday }, assert: [{ type: contains, value: room }] }
  - { description: date, vars: { guest: Ann, day: 2024-01-31 }, assert: [{ type: contains, value: room }] }
  - { description: neither, vars: { guest: Ann, day: '31 January' }, assert: [{ type: contains, value: room }] }`;
    const { gaps, todo = [] } = importPromptfoo(parseYaml(written, promptfooConfig(), 'suite.yaml'), 'suite.yaml');
    expect(gaps).toEqual([]);
    const found = todo.filter((one) => one.includes('promptfoo writes') || one.includes('promptfoo takes'));
    expect(found).toEqual([
      'suite.yaml: test "object": an object stands in its prompt as JSON, where promptfoo writes [object Object]: name a field of it, or | dump',
      'suite.yaml: test "date": 2024-01-31 is text here: without quotes in YAML, promptfoo takes it for a point in time',
    ]);
  });

  test('says what it left out', () => {
    const { gaps, todo = [] } = imported;
    expect(gaps.filter((gap) => !gap.includes('an empty answer'))).toEqual([]);
    expect(todo.some((one) => one.includes('test "France": its rubrics became graders'))).toBe(true);
    expect(todo.some((one) => one.includes('write gold_says by hand'))).toBe(true);
  });

  test('is played with each of its prompts; what is to be said of a test is said once', () => {
    const written = imported.files.map(({ path }) => path).filter((path) => path.includes('prompt-2'));
    expect(written).toHaveLength(3);
    const { todo = [] } = imported;
    expect(new Set(todo).size).toBe(todo.length);
  });

  test('what an answer may cost and how long it may take are limits of its sample', () => {
    const made = suite(`
prompts: [p]
tests: [{ assert: [{ type: cost, threshold: 0.01 }, { type: latency, threshold: 5000 }, { type: contains, value: a }] }]
`);
    expect([made.gaps, samplesIn(made)[0]?.limits]).toEqual([[], { usd: 0.01, seconds: 5 }]);
  });

  test('names with dots lead into variables', () => {
    const made = suite(`
prompts: ['{{item.question}} {{item.none}}']
tests: [{ vars: { item: { question: 'How many?', answer: 4 } }, assert: [{ type: equals, value: '{{item.answer}}' }] }]
`);
    expect(samplesIn(made).map(({ user, gold_says: gold }) => [user.says_first, gold])).toEqual([['How many? ', '4']]);
  });

  test('its checker judges the assertions, negated ones too; values are data and never code', async () => {
    const dir = await scratch();
    await writeFile(join(dir, 'asserts.mjs'), file('checkers/asserts.mjs'));
    const { check } = (await import(pathToFileURL(join(dir, 'asserts.mjs')).href)) as {
      check: (input: unknown) => Promise<{ pass: boolean }>;
    };
    const ask = async (id: string, ...finals: string[]) =>
      Promise.all(finals.map(async (final) => (await check({ sample: { id }, final })).pass));
    expect(await ask('france', 'PARIS', 'Paris, sorry', 'Rome', '')).toEqual([true, false, false, false]);
    expect(await ask('test-2', 'Tokyo', 'Tokyo!')).toEqual([true, false]);
    expect(await ask('france-3', 'It is Lutetia', 'Lutetia')).toEqual([true, false]);
  });

  test('a suite whose tests lie in another file is refused with its line', () => {
    expect(() => parseYaml('prompts: [a]\ntests: file://tests.csv\n', promptfooConfig(), 'p.yaml')).toThrow(
      /p\.yaml:2: tests: expected a list of tests/,
    );
  });

  const suite = (text: string) => importPromptfoo(parseYaml(text, promptfooConfig(), 's.yaml'), 's.yaml');
  const samplesIn = ({ files }: typeof imported) =>
    files.filter(({ path }) => path.startsWith('samples/')).map(({ content }) => Sample.parse(JSON.parse(content)));

  test('rubrics become graders, the same one once; what is negated passes where it is not met', () => {
    const made = suite(`
prompts: ['Hi {{name}}']
tests:
  - { vars: { name: Ada }, assert: [{ type: llm-rubric, value: 'greets {{name}}' }, { type: not-llm-rubric, value: is rude }] }
  - { vars: { name: Bob }, assert: [{ type: not-llm-rubric, value: is rude }] }
`);
    expect(samplesIn(made).map(({ graders }) => graders)).toEqual([['rubric-1', 'rubric-2'], ['rubric-2']]);
    const [first, second, ...rest] = made.files
      .filter(({ path }) => path.startsWith('graders/'))
      .map(({ content }) => GraderSpec.parse(parse(content)));
    expect([first?.question, second?.pass_when, rest]).toEqual([
      ...['Does the answer meet this? greets Ada', 'The answer does not meet this: is rude', []],
    ]);
  });

  test('lists of variables are tests of their own, references are looked up, and names in values are filled in', () => {
    const made = suite(`
prompts: ['{{a}} {{b}}']
assertionTemplates: { holds: { type: contains, value: '{{a}}' } }
tests:
  - vars: { a: [x, y], b: ['1', '2'] }
    assert: [{ $ref: '#/assertionTemplates/holds' }]
  - { vars: { a: [x, y] }, options: { disableVarExpansion: true }, assert: [{ type: contains, value: z }] }
`);
    expect(samplesIn(made).map(({ user, gold_says: gold }) => `${user.says_first}: ${gold}`)).toEqual([
      ...['x 1: x', 'x 2: x', 'y 1: y', 'y 2: y', 'x,y : z'],
    ]);
  });

  test('what of an assertion gets lost is named by test and assertion, and nothing goes without a word', () => {
    const { gaps } = suite(`
prompts: [p]
tests:
  - description: T
    threshold: 0.5
    options: { transform: 'file://t.js' }
    assert:
      - { type: is-json, value: { type: object, if: {} } }
      - { type: contains, value: a, transform: 'require("fs")' }
      - { type: contains, value: b, weight: 0 }
      - { type: contains, value: 'file://b.txt' }
      - { type: javascript, value: 'file://c.js' }
      - { type: not-similar, value: kind, threshold: 0.8 }
      - { type: contains, value: '{{ nowhere | title }}' }
      - { type: moderation }
`);
    for (const gap of [
      'assertion 1 (is-json): only that it is JSON is checked: its schema has if, which is not known here',
      'assertion 2 (contains): its transform uses require, which a checker does not have, and was left out',
      'assertion 4 (contains): its value is the file file://b.txt',
      'assertion 5 (javascript): its value is the file file://c.js',
      'assertion 6 (not-similar): its threshold 0.8 is not known here',
      'assertion 7 (contains): its value holds template code',
      'assertion 8 (moderation): it cannot be checked',
      'the test’s own transform is the file file://t.js, and is not carried over',
      'the test’s own threshold 0.5 counts rubrics or Python too, and is not carried over',
    ])
      expect(
        gaps.filter((one) => one.startsWith(`s.yaml: test "T": ${gap}`)),
        gap,
      ).toHaveLength(1);
  });

  const asking = async (text: string) => {
    const made = suite(text);
    const dir = await scratch();
    const found = made.files.find(({ path }) => path === 'checkers/asserts.mjs');
    await writeFile(join(dir, 'asserts.mjs'), found?.content ?? '');
    const { check } = (await import(pathToFileURL(join(dir, 'asserts.mjs')).href)) as {
      check: (input: unknown) => Promise<{ pass: boolean; reason: string; evidence: string[] }>;
    };
    const gaps = made.gaps.filter((gap) => gap.startsWith('s.yaml'));
    return { gaps, todo: made.todo, ask: (id: string, final: string) => check({ sample: { id }, final }) };
  };
  const passing = async ({ ask }: Awaited<ReturnType<typeof asking>>, id: string, finals: readonly string[]) =>
    Promise.all(finals.map(async (final) => (await ask(id, final)).pass));

  test('a schema of is-json is held to, keyword by keyword, and so is JSON within a text', async () => {
    const made = await asking(`
prompts: [p]
tests:
  - description: order
    assert:
      - type: is-json
        value:
          type: object
          required: [id, lines]
          additionalProperties: false
          properties:
            id: { type: string, pattern: '^O-\\d+$', maxLength: 6 }
            lines: { type: array, minItems: 1, uniqueItems: true, items: { $ref: '#/definitions/line' } }
            paid: { enum: [card, null] }
          definitions:
            line: { type: object, properties: { n: { type: integer, minimum: 1, exclusiveMaximum: 10 } }, required: [n] }
  - { description: text, assert: [{ type: contains-json, value: '{"type":"object","required":["a"]}' }] }
  - { description: none, assert: [{ type: not-is-json }] }
`);
    // In promptfoo an empty answer is no JSON and passes; here doing nothing must fail.
    expect(made.gaps).toEqual([expect.stringContaining('test "none": an empty answer passes it in promptfoo')]);
    const order = (parts: object) => JSON.stringify({ id: 'O-1', lines: [{ n: 1 }], ...parts });
    expect(
      await passing(made, 'order', [order({}), order({ paid: null }), order({ lines: [{ n: 1 }, { n: 2 }] })]),
    ).toEqual(Array(3).fill(true));
    const wrong = [{ id: 'O-' }, { id: 'O-12345' }, { id: 1 }, { lines: [] }, { lines: [{ n: 1 }, { n: 1 }] }].concat([
      { lines: [{ n: 0 }] },
      { lines: [{ n: 10 }] },
      { lines: [{ n: 1.5 }] },
      { lines: [{}] },
      { x: 1 },
      { paid: 'cash' },
    ] as never[]);
    expect(await passing(made, 'order', [...wrong.map(order), '[]', 'no JSON'])).toEqual(
      Array(wrong.length + 2).fill(false),
    );
    expect(await passing(made, 'text', ['so: {"b":[1]} and {"a":{"c":1}}.', 'so: {"b":1}', 'a {'])).toEqual([
      true,
      false,
      false,
    ]);
    expect(await passing(made, 'none', ['{}', 'x'])).toEqual([false, true]);
  });

  test('thresholds and weights count as they do there, of tests and of sets', async () => {
    const made = await asking(`
prompts: [p]
tests:
  - description: share
    threshold: 0.6
    assert: [{ type: contains, value: a, weight: 2 }, { type: contains, value: b }, { type: contains, value: c, weight: 0 }]
  - description: set
    assert:
      - { type: contains, value: x }
      - { type: assert-set, threshold: 0.5, assert: [{ type: contains, value: a }, { type: contains, value: b }] }
  - { description: all, assert: [{ type: assert-set, assert: [{ type: contains, value: a }, { type: contains, value: b }] }] }
`);
    expect(made.gaps).toEqual([]);
    expect(made.todo).toContain(
      's.yaml: test "share": assertion 3 (contains): its weight is 0, so it decides nothing there, and was left out',
    );
    expect(await passing(made, 'share', ['a', 'b', 'ab'])).toEqual([true, false, true]);
    expect((await made.ask('share', 'b')).reason).toContain('a score of 0.3333, and 0.6 is wanted');
    expect(await passing(made, 'set', ['x a', 'x b', 'x', 'a b'])).toEqual([true, true, false, false]);
    expect(await passing(made, 'all', ['a b', 'a'])).toEqual([true, false]);
  });

  test('code of the suite itself is run by the checker: transforms, and assertions in JavaScript with what they answer', async () => {
    const made = await asking(`
prompts: [p]
defaultTest: { options: { transform: output.trim() } }
tests:
  - { description: trimmed, assert: [{ type: equals, value: x }, { type: contains, value: X, transform: output.toUpperCase() }] }
  - { description: short, vars: { most: 4 }, assert: [{ type: javascript, value: output.length < context.vars.most }] }
  - { description: score, assert: [{ type: javascript, threshold: 0.5, value: output.length / 10 }] }
  - description: body
    options: { transform: 'JSON.parse(output).said' }
    assert: [{ type: javascript, value: "const ok = output === 'yes';\\n return { pass: ok, score: 1, reason: 'r' };" }]
  - { description: arrow, assert: [{ type: not-javascript, value: '(output) => output.includes("no")' }] }
`);
    // promptfoo wraps one line as \`return (output) => …\`, and a function is no verdict.
    expect(made.gaps).toEqual([expect.stringContaining('its code is a function, which promptfoo does not call')]);
    expect(await passing(made, 'trimmed', [' x ', 'y'])).toEqual([true, false]);
    expect(await passing(made, 'short', ['abc', 'abcd'])).toEqual([true, false]);
    expect(await passing(made, 'score', ['12345', '1234'])).toEqual([true, false]);
    expect(await passing(made, 'body', ['{"said":"yes"}', '{"said":"no"}'])).toEqual([true, false]);
    expect(await passing(made, 'arrow', ['yes', 'no'])).toEqual([true, false]);
    expect((await made.ask('short', 'abcd')).evidence[0]).toContain('output.length < context.vars.most');
  });

  test('an exception of its code fails an assertion, negated or not; one of a transform fails the whole test', async () => {
    const made = await asking(`
prompts: [p]
tests:
  - { description: total, assert: [{ type: javascript, value: 'JSON.parse(output).total === 42' }] }
  - { description: not-first, assert: [{ type: not-javascript, value: 'JSON.parse(output).items[0].sku === "A"' }] }
  - description: share
    threshold: 0.5
    assert: [{ type: javascript, value: JSON.parse(output).ok }, { type: contains, value: a }]
  - description: transformed
    threshold: 0.5
    assert: [{ type: equals, value: x, transform: JSON.parse(output).a }, { type: contains, value: a }]
  - { description: whole, options: { transform: JSON.parse(output).a }, assert: [{ type: not-equals, value: x }] }
  - { description: text, assert: [{ type: javascript, value: output }] }
  - { description: no-reason, assert: [{ type: javascript, value: '({ pass: true, score: 1 })' }] }
  - { description: last, assert: [{ type: javascript, value: 'const s = output; s === "a;b"' }] }
`);
    expect(await passing(made, 'total', ['Sorry…', '{"total":42}', '{"total":1}'])).toEqual([false, true, false]);
    expect(
      await passing(made, 'not-first', ['{"items":[]}', '{"items":[{"sku":"A"}]}', '{"items":[{"sku":"B"}]}']),
    ).toEqual([...[false, false, true]]);
    expect(await passing(made, 'share', ['a', 'b'])).toEqual([true, false]);
    expect(await passing(made, 'transformed', ['a', '{"a":"x"}', '{"a":"y"}'])).toEqual([false, true, true]);
    expect((await made.ask('transformed', 'a')).reason).toContain('which fails it');
    expect(await passing(made, 'whole', ['a', '{}', '{"a":"y"}', '{"a":"x"}'])).toEqual([false, false, true, false]);
    // A verdict is a boolean, a number, or an object with pass, score and reason.
    expect(await passing(made, 'text', ['yes'])).toEqual([false]);
    expect(await passing(made, 'no-reason', ['yes'])).toEqual([false]);
    expect(await passing(made, 'last', ['a;b', 'a'])).toEqual([true, false]);
  });

  test('values of equals and of lists are compared as in promptfoo', async () => {
    const made = await asking(`
prompts: [p]
tests:
  - { description: object, assert: [{ type: equals, value: { a: 1, b: [2, 3] } }] }
  - { description: other, assert: [{ type: not-equals, value: { a: 1, b: 2 } }, { type: contains, value: '{' }] }
  - { description: number, assert: [{ type: equals, value: 42 }] }
  - { description: quotes, assert: [{ type: contains-all, value: '"a, b", c' }] }
  - { description: empty, assert: [{ type: contains, value: '' }] }
`);
    expect(await passing(made, 'object', ['{"b":[2,3],"a":1}', '{"a":1,"b":[3,2]}', 'a'])).toEqual([
      true,
      false,
      false,
    ]);
    expect(await passing(made, 'other', ['{"b":2,"a":1}', '{"a":1}', '{no'])).toEqual([false, true, true]);
    expect(await passing(made, 'number', ['42', '42.0'])).toEqual([true, false]);
    expect(await passing(made, 'quotes', ['c a, b', 'a b c', 'a, b'])).toEqual([true, false, false]);
    expect(await passing(made, 'empty', ['anything'])).toEqual([false]);
  });

  test('contains-json reads what a model writes: commas at the end, missing quotes, comments, missing braces', async () => {
    const made = await asking(`
prompts: [p]
tests:
  - { description: any, assert: [{ type: contains-json }] }
  - { description: b, assert: [{ type: contains-json, value: { required: [b], properties: { b: { type: array } } } }] }
`);
    const found = ['{"a":1,}', "x {a: 'it''s'} y", '{"a": {"b": 1}', '{"a":1 // why\n}', '[{"a":1}]'];
    expect(await passing(made, 'any', found)).toEqual(found.map(() => true));
    expect(await passing(made, 'any', ['[1, 2]', 'no', '} {"a"', '{a: b: c}'])).toEqual([false, false, true, false]);
    // promptfoo counts braces within texts, too.
    expect(await passing(made, 'any', ['{"a":"}"}'])).toEqual([false]);
    expect(await passing(made, 'b', ['first {"a":1}, then {b: [1, 2,],}', '{"b":1}'])).toEqual([true, false]);
  });

  test('distances and numbers of words are counted as in promptfoo', async () => {
    const made = await asking(`
prompts: [p]
tests:
  - { description: near, assert: [{ type: levenshtein, value: Pari, threshold: 2 }] }
  - { description: far, assert: [{ type: not-levenshtein, value: Paris }, { type: contains, value: a }] }
  - { description: words, assert: [{ type: word-count, value: { min: 2, max: 3 } }] }
  - { description: exact, assert: [{ type: word-count, value: '2' }] }
  - { description: wrong, assert: [{ type: word-count, value: {} }] }
`);
    expect(made.gaps).toEqual([]);
    expect(await passing(made, 'near', ['Paris', 'Pari', 'Paris!!', ''])).toEqual([true, true, false, false]);
    expect(await passing(made, 'far', ['Paris', 'Parisian', 'a long answer'])).toEqual([false, false, true]);
    expect(await passing(made, 'words', ['a', ' a  b ', 'a b c', 'a b c d'])).toEqual([false, true, true, false]);
    expect(await passing(made, 'exact', ['a b', 'a'])).toEqual([true, false]);
    expect(await passing(made, 'wrong', ['a b'])).toEqual([false]);
  });

  test('code may read the prompt, and a judge of the suite is named without its settings', async () => {
    const made = await asking(`
prompts: ['Say {{q}}']
defaultTest: { options: { provider: { text: { id: 'x:judge', config: { apiKey: sk-1 } } } } }
tests:
  - { description: said, vars: { q: hi }, assert: [{ type: javascript, value: output === context.prompt }] }
  - { description: kind, assert: [{ type: llm-rubric, value: kind }] }
`);
    expect(await passing(made, 'said', ['Say hi', 'hi'])).toEqual([true, false]);
    expect(made.todo?.join('\n')).toContain('x:judge judges it there');
    expect(made.todo?.join('\n')).not.toContain('sk-1');
  });

  test('a test that only forbids gets a wrong answer that it forbids, and an empty answer is a named difference', async () => {
    const made = suite('prompts: [p]\ntests: [{ assert: [{ type: not-contains, value: sorry }] }]\n');
    expect(samplesIn(made).map(({ gold_says: gold, wrong_says: wrong }) => [gold, wrong])).toEqual([
      ['An answer.', 'sorry'],
    ]);
    expect(made.gaps[0]).toContain('s.yaml: test "1": an empty answer passes it in promptfoo');
    const { ask } = await asking(
      'prompts: [p]\ntests: [{ description: t, assert: [{ type: not-contains, value: x }] }]\n',
    );
    expect([(await ask('t', '')).pass, (await ask('t', 'x')).pass, (await ask('t', 'y')).pass]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('with a transform no answer is made up', () => {
    const made = suite('prompts: [p]\ntests: [{ assert: [{ type: equals, value: x, transform: output.trim() }] }]\n');
    expect(samplesIn(made)[0]?.gold_says).toBe('To be written.');
    expect(made.todo?.[0]).toContain('write gold_says by hand');
  });

  test('every key that is not carried over is a gap, each once', () => {
    const { gaps } = suite(`
prompts: [p]
evaluateOptions: { repeat: 3, maxConcurrency: 2 }
extensions: [file://hook.js]
defaultTest: { options: { provider: openai:gpt-5, transformVars: vars } }
tests:
  - { description: U, prompts: [other] }
  - description: T
    options: { storeOutputAs: x, prefix: 'Now: ' }
    assert: [{ type: contains, value: a, contextTransform: output }, { type: llm-rubric, value: kind }]
`);
    for (const gap of [
      'extensions is not carried over',
      'evaluateOptions.repeat is not carried over',
      'defaultTest.options.transformVars is not carried over',
      'test "U": its prompts name none of the suite',
      'test "T": its option storeOutputAs is not carried over',
      'test "T": assertion 1 (contains): its contextTransform is not carried over',
    ])
      expect(
        gaps.filter((one) => one.startsWith(`s.yaml: ${gap}`)),
        gap,
      ).toHaveLength(1);
    expect(gaps.filter((gap) => /maxConcurrency|prefix/.test(gap))).toEqual([]);
  });

  test('scenarios are tests of their own; what stands before and after a prompt is said too', () => {
    const made = suite(`
prompts: ['{{q}}']
defaultTest: { options: { prefix: 'Briefly: ', suffix: '!' } }
scenarios:
  - config: [{ vars: { q: one } }, { vars: { q: two }, assert: [{ type: contains, value: b }] }]
    tests: [{ assert: [{ type: contains, value: a }] }, { vars: { q: mine }, assert: [{ type: contains, value: c }] }]
`);
    expect(samplesIn(made).map(({ user, gold_says: gold }) => `${user.says_first} ${gold}`)).toEqual([
      ...['Briefly: one! a', 'Briefly: mine! c', 'Briefly: two! b a', 'Briefly: mine! b c'],
    ]);
    expect(() => suite('prompts: [p]\nscenarios: [{ config: [{}], tests: file://gone.csv }]\n')).toThrow(
      'expected a test',
    );
  });

  test.each([
    ['output.(', 'is no JavaScript'],
    ['await ask(output)', 'is no JavaScript'],
    ['context.test.vars', 'uses context.test'],
    ['1)); process.exit((1', 'is no JavaScript'],
    ['process.exit(1)', 'uses process'],
    ['1)), ((1', 'is no JavaScript'],
  ])('code that a checker cannot run is left out by name: %s', (code, reason) => {
    const { gaps } = suite(
      `prompts: [p]\ntests: [{ description: T, assert: [{ type: javascript, value: '${code}' }] }]\n`,
    );
    expect(gaps.filter((gap) => gap.includes(`assertion 1 (javascript): its code ${reason}`))).toHaveLength(1);
  });
});

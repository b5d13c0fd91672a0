import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSuiteFolder } from '../../../src/cli/interop/import.ts';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { testsInCsv } from '../../../src/interop/promptfoo/suite-csv.ts';
import type { SuiteFolder } from '../../../src/interop/promptfoo/suite-files.ts';
import { importPromptfoo } from '../../../src/interop/promptfoo/import-suite.ts';
import { promptfooConfig } from '../../../src/interop/promptfoo/shapes.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { scratch } from '../../support/scratch.ts';

const FILES: Record<string, string> = {
  'prompt.txt': 'Say {{word}}.\n---\nOr {{word}}?\n',
  'tests.csv': 'word,__expected,__description\nhi,contains: hi,greets\n"a, ""b""",A B,\n',
  'more.yaml': "- { vars: { word: ho }, assert: [{ type: contains, value: 'file://wanted.txt' }] }\n",
  'wanted.txt': 'ho ho\n',
};

const FOLDER: SuiteFolder = { read: (path) => FILES[path], find: () => [] };

function suite(text: string, folder = FOLDER) {
  const made = importPromptfoo(parseYaml(text, promptfooConfig(folder), 's.yaml'), 's.yaml');
  const samples = made.files.filter(({ path }) => path.startsWith('samples/'));
  return { ...made, samples: samples.map(({ content }) => Sample.parse(JSON.parse(content))) };
}

test('tests in CSV and YAML, the text of a prompt and of a value are read from beside the suite', () => {
  const { samples, gaps } = suite('prompts: [file://prompt.txt]\ntests: [file://tests.csv, more.yaml]\n');
  expect(samples.slice(0, 3).map(({ title, user, gold_says: gold }) => [title, user.says_first, gold])).toEqual([
    ['greets', 'Say hi.', 'hi'],
    ['test-2', 'Say a, "b".', 'A B'],
    ['test-3', 'Say ho.', 'ho ho'],
  ]);
  // A text file with a line of dashes holds two prompts, as in promptfoo.
  expect([samples.length, gaps]).toEqual([6, []]);
});

test.each([
  ['tests: file://tests.py', 'expected a list of tests; tests from a script'],
  ['tests: [file://nowhere.csv]', 'expected a test; tests from a script'],
  ['redteam: { plugins: [x] }', 'it has no tests: a suite that makes them'],
])('%s: what cannot be read is refused with its reason', (text, says) => {
  expect(() => suite(`prompts: [p]\n${text}\n`)).toThrow(says);
});

test('what a reader decides becomes a grader', () => {
  const { files } = suite(`
prompts: [p]
tests: [{ assert: [{ type: similar, value: The capital is Paris }, { type: not-factuality, value: It is Rome }] }]
`);
  const graders = files.filter(({ path }) => path.startsWith('graders/')).map(({ content }) => content);
  expect(graders[0]).toContain('It means the same as this: The capital is Paris');
  expect(graders[1]).toContain('fail_when: "The answer meets this: It says what this says');
});

describe('a CSV of tests', () => {
  const read = (text: string) => testsInCsv(text, 't.csv').map(({ test }) => test);

  test('cells in quotes hold commas, quotes and line breaks; types, thresholds and lists are those of promptfoo', () => {
    const text =
      '\uFEFFq,__expected1,__expected2,__metadata:topic\r\n"one\ntwo",similar(0.8): x,"contains-any: a, b",t\r\n\r\n';
    expect(read(text)).toEqual([
      {
        vars: { q: 'one\ntwo' },
        assert: [
          { type: 'similar', value: 'x', threshold: 0.8 },
          { type: 'contains-any', value: 'a, b' },
        ],
        metadata: { topic: 't' },
      },
    ]);
    expect(read('q,__expected\n,grade: is kind\n,fn:output.length')).toMatchObject([
      { assert: [{ type: 'llm-rubric', value: 'is kind' }] },
      { assert: [{ type: 'javascript' }] },
    ]);
    expect(read('')).toEqual([]);
  });

  test.each([
    ['is-json', { type: 'is-json' }],
    ['not-contains-json', { type: 'not-contains-json' }],
    ['answer: 42', { type: 'equals', value: 'answer: 42' }],
    ['https://x', { type: 'equals', value: 'https://x' }],
    ['similar:cosine: x', { type: 'similar:cosine', value: 'x' }],
    ['contains: a: b', { type: 'contains', value: 'a: b' }],
    ['file://judge.py:grade', { type: 'python', value: 'file://judge.py:grade' }],
  ])('the cell %s is what promptfoo takes it for', (cell, assertion) => {
    expect(read(`q,__expected\nx,${cell}\n`)).toMatchObject([{ assert: [assertion] }]);
  });

  test('columns of a meaning of their own; quotes within a cell; lines are those of the file', () => {
    const text =
      'q,__prefix,__suffix,__threshold,__metric,__expected1,__config:__expected1:threshold\n"a\nb",P,S,0.5,m,javascript: 0.7,0.6\nsay "hi",,,,,contains: x,\n';
    const rows = testsInCsv(text.replace(/,\n$/, ',0.1\n'), 't.csv');
    expect(rows).toMatchObject([
      {
        line: 2,
        test: {
          vars: { q: 'a\nb' },
          options: { prefix: 'P', suffix: 'S' },
          threshold: 0.5,
          assert: [{ type: 'javascript', value: '0.7', threshold: 0.6 }],
        },
      },
      { line: 4, test: { vars: { q: 'say "hi"' } } },
    ]);
    expect(rows[0]?.test['vars']).toEqual({ q: 'a\nb' });
  });
});

describe('files of a suite', () => {
  const folder = (files: Record<string, string>): SuiteFolder => ({
    read: (path) => files[path],
    find: () => Object.keys(files).filter((path) => path.endsWith('/t.yaml')),
  });

  test('prompts, tests, variables and defaults may be files and patterns of files', () => {
    const { samples } = suite(
      'prompts: prompt.txt\ndefaultTest: file://defaults.yaml\ntests: file://tests/*/t.yaml\n',
      folder({
        'prompt.txt': '{{greeting}} {{word}}',
        'defaults.yaml': 'vars: { greeting: Hi }\n',
        'tests/a/t.yaml': '- { vars: words.yaml, assert: [{ type: contains, value: a }] }\n',
        'tests/a/words.yaml': 'word: one\n',
        'tests/b/t.yaml': '- { vars: { word: two }, assert: [{ type: contains, value: b }] }\n',
      }),
    );
    expect(samples.map(({ user }) => user.says_first)).toEqual(['Hi one', 'Hi two']);
  });

  test.each([
    ['t.jsonl', '{"vars":{}}\n\n{"vars":\n', 't.jsonl:3: is no JSON: it ends too early. Correct this line'],
    ['t.json', '\uFEFF[\n {"vars": x}\n]', 't.json:2: is no JSON: this line'],
    ['t.yaml', 'a: 1\na: 2\n', 't.yaml:2: this key is there twice'],
    ['t.csv', 'q,__expected\n1,contains: a\n"open,x\n', 't.csv:3: a cell in quotes does not end'],
    ['t.yaml', '- vars: {}\n- assert: [{ value: x }]\n', 't.yaml:2: /assert/0/type'],
  ])('a fault in %s is named with its own file and line', (name, text, says) => {
    expect(() => suite(`prompts: [p]\ntests: file://${name}\n`, folder({ [name]: text }))).toThrow(says);
  });

  test('blank lines of JSON lines are no tests', () => {
    const text =
      '\uFEFF{"assert":[{"type":"contains","value":"a"}]}\r\n\r\n{"assert":[{"type":"contains","value":"b"}]}\n';
    const { samples } = suite('prompts: [p]\ntests: file://t.jsonl\n', folder({ 't.jsonl': text }));
    expect(samples.map(({ gold_says: gold }) => gold)).toEqual(['a', 'b']);
  });
});

test('a suite reads nothing outside its own folder, by no path and by no link', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'suite'));
  await writeFile(join(dir, 'secret.txt'), 'secret');
  await writeFile(join(dir, 'suite/own.txt'), 'own');
  await symlink(join(dir, 'secret.txt'), join(dir, 'suite/link.txt'));
  const { read } = openSuiteFolder(join(dir, 'suite'));
  expect(['own.txt', '../secret.txt', 'link.txt', join(dir, 'secret.txt'), '.'].map(read)).toEqual([
    ...['own', undefined, undefined, undefined, undefined],
  ]);
});

test('a file of prompts is split as its kind says, and a test names prompts by label', () => {
  const files: Record<string, string> = {
    'p.txt': 'one {{a}}\n ---  \ntwo\n',
    'p.md': '# Title\n---\n{{a}}',
    'p.j2': 'jinja {{a}}',
    'p.jsonl': '[{"role":"system","content":"Be {{a}}"},{"role":"user","content":[{"type":"text","text":"Q"}]}]\n',
    'p.csv': 'prompt,label\n"csv, {{a}}",mine\n',
    'lines.csv': 'Prompt\nplain {{a}}\n',
  };
  const folder: SuiteFolder = { read: (path) => files[path], find: () => [] };
  const names = Object.keys(files).map((name) => `file://${name}`);
  const ask = (prompts: string) =>
    suite(
      JSON.stringify({ prompts: names, tests: [{ vars: { a: '"x"' }, prompts: JSON.parse(prompts) as unknown }] }),
      folder,
    ).samples.map(({ user }) => user.says_first);
  expect(ask('null')).toEqual([
    ...['one "x"', 'two', '# Title\n---\n"x"', 'jinja "x"', 'system: Be "x"\n\nuser: Q', 'csv, "x"', 'plain "x"'],
  ]);
  expect(ask('["mine", "p.j2"]')).toEqual(['jinja "x"', 'csv, "x"']);
  expect(ask('["p.t*"]')).toEqual(['one "x"', 'two']);
});

test('variables from files are texts, values in lists may be files, and entries are merged', () => {
  const files: Record<string, string> = {
    'list.yaml': '- 1\n- two\n',
    'a.txt': ' wanted \n',
    'image.png': 'PNG\0\uFFFD',
    'more.yaml': 'last: { vars: { q: ref }, assert: [{ type: equals, value: r }] }\n',
  };
  const folder: SuiteFolder = { read: (path) => files[path], find: () => ['a.txt', 'list.yaml'] };
  const made = suite(
    `
prompts: ['{{q}}']
tests:
  - &first { vars: { q: file://list.yaml }, assert: [{ type: contains-any, value: [file://a.txt, z] }] }
  - { <<: *first, vars: { q: file://*.x } }
  - { <<: *first, vars: { q: [1, 2] } }
  - { $ref: 'more.yaml#/last' }
  - { vars: { q: file://image.png } }
`,
    folder,
  );
  expect(made.samples.map(({ user, gold_says: gold }) => [user.says_first, gold])).toEqual([
    ...['[1,"two"]', 'wanted', '[1,"two"]', '1,2'].map((said) => [said, 'wanted']),
    ['ref', 'r'],
    ['file://image.png', 'An answer.'],
  ]);
  expect(made.gaps).toEqual([expect.stringContaining('a variable is a file that is no text')]);
});

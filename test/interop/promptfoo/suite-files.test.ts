import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSuiteFile } from '../../../src/cli/interop/import.ts';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { testsInCsv } from '../../../src/interop/promptfoo/suite-files.ts';
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

function suite(text: string, read = (path: string): string | undefined => FILES[path]) {
  const made = importPromptfoo(parseYaml(text, promptfooConfig(read), 's.yaml'), 's.yaml');
  const samples = made.files.filter(({ path }) => path.startsWith('samples/'));
  return { ...made, samples: samples.map(({ content }) => Sample.parse(JSON.parse(content))) };
}

test('tests in CSV and YAML, the text of a prompt and of a value are read from beside the suite', () => {
  const { samples, gaps } = suite('prompts: [file://prompt.txt]\ntests: [file://tests.csv, more.yaml]\n');
  expect(samples.map(({ title, user, gold_says: gold }) => [title, user.says_first, gold])).toEqual([
    ['greets', 'Say hi.', 'hi'],
    ['test-2', 'Say a, "b".', 'A B'],
    ['test-3', 'Say ho.', 'ho ho'],
  ]);
  expect(gaps.filter((gap) => gap.startsWith('s.yaml'))).toEqual([]);
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
  test('cells in quotes hold commas, quotes and line breaks; types, thresholds and lists are those of promptfoo', () => {
    const text =
      '\uFEFFq,__expected1,__expected2,__metadata:topic\r\n"one\ntwo",similar(0.8): x,"contains-any: a, b",t\r\n\r\n';
    expect(testsInCsv(text)).toEqual([
      {
        vars: { q: 'one\ntwo' },
        assert: [
          { type: 'similar', value: 'x', threshold: 0.8 },
          { type: 'contains-any', value: ['a', 'b'] },
        ],
        metadata: { topic: 't' },
      },
    ]);
    expect(testsInCsv('q,__expected\n,grade: is kind\n,fn:output.length')).toMatchObject([
      { assert: [{ type: 'llm-rubric', value: 'is kind' }] },
      { assert: [{ type: 'javascript' }] },
    ]);
    expect(testsInCsv('')).toEqual([]);
  });
});

test('a suite reads nothing outside its own folder, by no path and by no link', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'suite'));
  await writeFile(join(dir, 'secret.txt'), 'secret');
  await writeFile(join(dir, 'suite/own.txt'), 'own');
  await symlink(join(dir, 'secret.txt'), join(dir, 'suite/link.txt'));
  const read = readSuiteFile(join(dir, 'suite'));
  expect(['own.txt', '../secret.txt', 'link.txt', join(dir, 'secret.txt'), '.'].map(read)).toEqual([
    ...['own', undefined, undefined, undefined, undefined],
  ]);
});

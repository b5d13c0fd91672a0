/** docs/components.md, docs/samples.md and docs/graders.md name every key of the formats, and their examples have them. Slow tests prove and play them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CheckerAnswer, CheckerSpec, ToolSpec } from '../src/scenario/component.ts';
import { GraderSpec } from '../src/scenario/grader.ts';
import { Sample } from '../src/scenario/sample.ts';
import { examplesIn } from './support/page-examples.ts';

const page = ['components', 'samples', 'graders'].map((name) => readFileSync(`docs/${name}.md`, 'utf8')).join('\n');
const examples = examplesIn(page);
const read = (path: string): unknown => parse(examples.get(path) ?? expect.fail(`${path} is not on the page`));

test.each([
  ['tool', ToolSpec.shape],
  ['checker', CheckerSpec.shape],
  ['answer of a checker', CheckerAnswer.shape],
  ['grader', GraderSpec.shape],
  ['sample', Sample.shape],
  ['user', Sample.shape.user.shape],
])('every key of a %s is explained', (_, shape) => {
  const words = new Set([...page.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word));
  const dotted = new Set([...page.matchAll(/`([a-z_]+)\.[a-z_]+`/g)].map(([, word]) => word));
  expect(Object.keys(shape).filter((key) => !words.has(key) && !dotted.has(key))).toEqual([]);
});

test('the examples of sample and grader are whole: every key that stands by itself', () => {
  const sample = Sample.parse(read('samples/renew-once.json'));
  const OF_CASES = ['case', 'case_of'];
  const missing = Object.keys(Sample.shape).filter((key) => !(key in sample) && !OF_CASES.includes(key));
  expect(missing).toEqual([]);
  expect(Object.keys(sample.user).toSorted()).toEqual(Object.keys(Sample.shape.user.shape).toSorted());
  const grader = GraderSpec.parse(read('graders/kind-answer.yaml'));
  expect(Object.keys(grader).toSorted()).toEqual(Object.keys(GraderSpec.shape).toSorted());
});

test('tools and checkers come in three languages', () => {
  for (const name of ['tools/renew_loan', 'checkers/renewed-as-allowed'])
    expect(['.mjs', '.ts', '.py'].filter((ending) => !examples.has(`${name}${ending}`))).toEqual([]);
});

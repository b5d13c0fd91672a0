import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { importPromptfoo } from '../../../src/interop/promptfoo/promptfoo.ts';
import { PromptfooConfig } from '../../../src/interop/promptfoo/shapes.ts';
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

const imported = importPromptfoo(parseYaml(YAML, PromptfooConfig, 'suite.yaml'), 'suite.yaml');
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

  test('says what it left out', () => {
    const { gaps } = imported;
    expect(gaps.some((gap) => gap.includes('test "France": llm-rubric cannot be checked'))).toBe(true);
    expect(gaps.some((gap) => gap.includes('write gold_says by hand'))).toBe(true);
    expect(gaps.some((gap) => gap.includes('2 prompts; only the first'))).toBe(true);
  });

  test('its checker judges the assertions, negated ones too; values are data and never code', async () => {
    const dir = await scratch();
    await writeFile(join(dir, 'asserts.mjs'), file('checkers/asserts.mjs'));
    const { check } = (await import(pathToFileURL(join(dir, 'asserts.mjs')).href)) as {
      check: (input: unknown) => { pass: boolean };
    };
    const ask = (id: string, final: string) => check({ sample: { id }, final }).pass;
    expect([ask('france', 'PARIS'), ask('france', 'Paris, sorry'), ask('france', 'Rome'), ask('france', '')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect([ask('test-2', 'Tokyo'), ask('test-2', 'Tokyo!')]).toEqual([true, false]);
    expect([ask('france-3', 'It is Lutetia'), ask('france-3', 'Lutetia')]).toEqual([true, false]);
  });

  test('a suite whose tests lie in another file is refused with its line', () => {
    expect(() => parseYaml('prompts: [a]\ntests: file://tests.csv\n', PromptfooConfig, 'p.yaml')).toThrow(
      /p\.yaml:2: tests: expected a list of tests/,
    );
  });
});

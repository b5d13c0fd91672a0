import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { DEFECT_KINDS, listPlantings } from '../../../src/gate/drill/plant-defect.ts';
import { caseChecks, packCases } from '../../../src/gate/rules/pack-cases.ts';
import { BusinessRules, FormatSpec } from '../../../src/scenario/design.ts';

const FOLDER = new URL('../../../scenarios/tariff-desk/simulation/files/r1/', import.meta.url);
const read = (name: string): unknown => parse(readFileSync(new URL(name, FOLDER), 'utf8'));
const DESIGN = {
  rules: BusinessRules.parse(read('business_rules.yaml')),
  format: FormatSpec.parse(read('format_spec.yaml')),
};

test.for(DEFECT_KINDS)('plants a defect of the kind %s that the files can hold, and changes nothing else', (kind) => {
  const planted = listPlantings(DESIGN, kind);
  expect(planted.length).toBeGreaterThan(0);
  for (const { rules, format, defect } of planted) {
    expect(BusinessRules.parse(rules)).toEqual(rules);
    expect(FormatSpec.parse(format)).toEqual(format);
    const others = ({ rules: all }: BusinessRules) => all.filter(({ id }) => id !== defect.rule.id).map(({ id }) => id);
    expect(others(rules)).toEqual(others(DESIGN.rules));
    expect(rules).not.toEqual(DESIGN.rules);
  }
});

test('a conflict is one that the table shows; a rule that is gone is gone from the prompt too', () => {
  for (const { rules, format } of listPlantings(DESIGN, 'conflict'))
    expect(caseChecks(packCases(rules, format)).find(({ name }) => name.includes('agree'))?.ok).toBe(false);
  const [first] = listPlantings(DESIGN, 'missing_rule');
  expect(first?.format.subject_prompt).not.toContain('R1 Read and change nothing');
  expect(first?.format.subject_prompt).toContain('R2 After two failed checks');
});

test('a weakened demand holds whatever happens, and a changed quote is in no source', () => {
  const { rules, defect } = listPlantings(DESIGN, 'weakened_checker').find((one) => one.defect.rule.id === 'R4') ?? {};
  expect(rules?.rules.find(({ id }) => id === 'R4')?.demands).toEqual({ change: ['made', 'not_made'] });
  expect(defect?.text).toContain('change may now have any value');
  for (const { rules: changed, defect: its } of listPlantings(DESIGN, 'changed_quote'))
    expect(changed.rules.find(({ id }) => id === its.rule.id)?.quote).not.toBe(its.rule.quote);
});

/** One rule is edited by its fields; every other byte of the file stays. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { editRule, readRuleFields, type RuleField } from '../../src/gate/edit-rule.ts';

const fields = (one: Partial<Record<RuleField, string>>) => new Map(Object.entries(one) as [RuleField, string][]);

const HANDMADE = `# kept
version: 1
rules:
  - id: R1   # the first
    title: 'Single ''quoted'''
    text: >-
      Folded over
      two lines.

    severity: must # why
    applies_to: [a,   b]
  - {id: R2, title: "flow", text: plain words, severity: should, applies_to: []}
open_questions: []
`;

test.each([
  ['title', 'A plain title', 'title: "A plain title"\n'],
  ['title', 'With: a colon, "quotes" and \u200F', 'title: "With: a colon, \\"quotes\\" and \u200F"\n'],
  ['text', 'One paragraph: with a colon.', 'text: >-\n      One paragraph: with a colon.\n'],
  ['text', 'Two\nlines', 'text: "Two\n'],
  ['severity', 'should', 'severity: should # why\n'],
] as const)('the %s of a rule becomes %j, and nothing else differs', (field, value, written) => {
  const edited = editRule(HANDMADE, 'R1', fields({ [field]: value }));
  expect(edited).toContain(written);
  expect(readRuleFields(edited, 'R1')?.get(field)).toBe(value);
  const lines = edited.split('\n');
  const others = HANDMADE.split('\n').filter(
    (line) => !line.includes(`${field}:`) && !/Folded|two lines|^$/.test(line),
  );
  for (const line of others) expect(lines).toContain(line);
});

test('a rule in one line, a file of CR LF, and one of JSON are edited in their place', () => {
  expect(editRule(HANDMADE, 'R2', fields({ text: 'other words' }))).toBe(
    HANDMADE.replace('plain words', 'other words'),
  );
  const dos = HANDMADE.replaceAll('\n', '\r\n');
  const edited = editRule(dos, 'R1', fields({ title: 'Other', text: 'One paragraph.' }));
  expect(edited).not.toMatch(/(?<!\r)\n/);
  expect(readRuleFields(edited, 'R1')?.get('text')).toBe('One paragraph.');
  const json = JSON.stringify({ version: 1, rules: [{ id: 'R1', title: 'a', text: 'b', severity: 'must' }] });
  expect(editRule(json, 'R1', fields({ text: 'c "d"' }))).toBe(json.replace('"b"', '"c \\"d\\""'));
});

test.each(['refund-desk', 'clinic-booking', 'tariff-desk'])(
  'every field of %s goes and comes back',
  async (scenario) => {
    const text = await readFile(`scenarios/${scenario}/simulation/files/r1/business_rules.yaml`, 'utf8');
    for (const [id] of text.matchAll(/(?<=id: )R\d+/g)) {
      const before = readRuleFields(text, id) ?? new Map<RuleField, string>();
      expect(before.size).toBeGreaterThan(2);
      expect(editRule(text, id, before)).toBe(text);
      const others = [...before.keys()].map((field): [RuleField, string] => [
        field,
        field === 'severity' ? 'should' : 'Some #: "other"\nwords.',
      ]);
      const edited = editRule(text, id, new Map(others));
      expect(readRuleFields(editRule(edited, id, before), id)).toEqual(before);
    }
  },
);

test('what cannot be told apart is refused with the way out', () => {
  const twice = 'rules:\n  - &a { id: R1, text: *b }\n';
  for (const text of ['rules: [', twice, HANDMADE.replace('R2', 'R1')])
    expect(() => editRule(text, 'R1', fields({ text: 'x' }))).toThrow(/R1/);
  expect(readRuleFields(HANDMADE, 'R9')).toBeUndefined();
});

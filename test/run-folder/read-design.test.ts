/** What is wrong with a design is said in one round: shape and content of its files together. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDesign } from '../../src/run-folder/read-design.ts';
import { scratch } from '../support/scratch.ts';

const FORMAT = `
version: 1
world: { type: object }
tools: [{ name: pay, purpose: pays, changes_world: true }]
categories: [{ id: all, title: All, samples: 1 }]
subject_prompt: Pay.
cases: { attributes: { day: 0..60 }, outcomes: { paid: [yes, no] } }
`;

const SOUND = '  - { id: R4, title: Four, text: Four., severity: must, demands: words }\n';

/** `files` stand in for those of a sound design; undefined leaves one out. */
async function read(files: Record<string, string | undefined>) {
  const dir = await scratch();
  const sound = {
    'unified_scenario_design.md': 'x'.repeat(300),
    'format_spec.yaml': FORMAT,
    'business_rules.yaml': `version: 1\nrules:\n${SOUND}`,
  };
  for (const [name, text] of Object.entries({ ...sound, ...files }))
    if (text !== undefined) await writeFile(join(dir, name), text);
  return readDesign(dir, 'r1');
}

async function problemsOf(rules: string, files: Record<string, string | undefined> = {}): Promise<string[]> {
  return (await read({ 'business_rules.yaml': `version: 1\nrules:\n${rules}`, ...files })).problems;
}

test('a rule that cannot be read hides nothing of the others', async () => {
  const problems = await problemsOf(`
  - { id: R1, title: One, text: One., severity: maybe, when: all, demands: { paid: yes } }
  - { id: R2, title: Two, text: Two., severity: must }
  - { id: R3, title: Three, text: Three., severity: must, when: { week: 1 }, demands: { paid: maybe } }
  - { id: R4, title: Four, text: Four., severity: must, applies_to: [fly], demands: words, over: [R1] }
`);
  expect(problems.map((text) => text.replace(/^\S+ /, '').slice(0, 40))).toEqual([
    expect.stringContaining('rules.0.severity'),
    expect.stringContaining('R4 applies to "fly"'),
    expect.stringContaining('R2 has no when'),
    expect.stringContaining('R3: week is no attribute'),
    expect.stringContaining('R3: paid cannot be maybe'),
  ]);
  expect(problems[2]).toContain('and no demands');
});

test('rules that are all readable are read once', async () => {
  expect(await problemsOf('  - { id: R4, title: Four, text: Four., severity: must, demands: words }\n')).toEqual([]);
});

test('a sound design is read with its parts, and what the harness adds is no file too many', async () => {
  const { parts, problems } = await read({ 'submission.json': '{}', 'manifest.json': '{}' });
  expect(problems).toEqual([]);
  expect(parts?.rules.rules.map(({ id }) => id)).toEqual(['R4']);
  expect(parts).toMatchObject({ narrative: 'x'.repeat(300), format: { subject_prompt: 'Pay.' } });
});

test.each([
  ['a file too many', { 'notes.md': 'x' }, /^r1\/notes\.md: not a file of a design; there are only .*business_rules/],
  ['a file too few', { 'unified_scenario_design.md': undefined }, /^r1\/unified_scenario_design\.md: missing\.$/],
  ['a narrative of blanks', { 'unified_scenario_design.md': `x${' '.repeat(300)}` }, /shorter than 200 characters/],
  ['a file too large', { 'unified_scenario_design.md': 'x'.repeat(512 * 1024 + 1) }, /larger than 524288 bytes/],
  [
    'an id twice',
    { 'business_rules.yaml': `version: 1\nrules:\n${SOUND}${SOUND}` },
    /R4 is there twice; ids are never/,
  ],
])('%s is a problem, and then there are no parts', async (_name, files, message) => {
  const { parts, problems } = await read(files);
  expect(parts).toBeUndefined();
  expect(problems).toEqual([expect.stringMatching(message)]);
});

test('two hundred characters, and half a mebibyte, are allowed', async () => {
  expect((await read({ 'unified_scenario_design.md': 'x'.repeat(200) })).problems).toEqual([]);
  expect((await read({ 'unified_scenario_design.md': 'x'.repeat(512 * 1024) })).problems).toEqual([]);
});

test('of a design that says nothing of cases none are asked for, and tools are those of the format', async () => {
  const plain = FORMAT.slice(0, FORMAT.indexOf('cases:'));
  const rule = (more: string) => `  - { id: R1, title: One, text: One., severity: must, ${more} }\n`;
  expect(await problemsOf(rule('applies_to: [pay]'), { 'format_spec.yaml': plain })).toEqual([]);
  expect(await problemsOf(rule('applies_to: [pay, fly]'), { 'format_spec.yaml': plain })).toEqual([
    'r1/business_rules.yaml: R1 applies to "fly", which format_spec.yaml does not name.',
  ]);
});

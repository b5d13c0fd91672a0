import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readTau2Checkout } from '../../../../src/cli/interop/read-tau2-checkout.ts';
import { criteriaChecker } from '../../../../src/interop/tau/domain/criteria-checker.ts';
import { CriteriaShape } from '../../../../src/interop/tau/runs/criteria-tau2.ts';
import { findNearestRules, rulesOfPolicy } from '../../../../src/interop/tau/domain/policy-rules.ts';
import { findExample } from '../../../../src/interop/tau/domain/shims.ts';
import { createShims, toolShim } from '../../../../src/interop/tau/domain/shims.ts';
import { Tau2Task } from '../../../../src/interop/tau/domain/task.ts';
import { scratch } from '../../../support/scratch.ts';

const ROOT = resolve('test/fixtures/tau2-checkout');
const library = () => readTau2Checkout(ROOT, 'library');

test('a checkout is read as its domain lies in it, and a domain that is not there names those that are', async () => {
  const { db, userDb, sources } = await library();
  expect([db.path, userDb?.path]).toEqual(['db.json', 'user_db.toml']);
  expect(Object.keys(sources)).toContain('src/tau2/domains/library/tools.py');
  await expect(readTau2Checkout(ROOT, 'airline')).rejects.toThrow('There are: library.');
  await expect(readTau2Checkout(ROOT, '../x')).rejects.toMatchObject({ code: 'usage' });
});

test('the policy becomes numbered rules with the section that they stand in', async () => {
  const rules = rulesOfPolicy((await library()).policy, 'policies/policy.md', ['find_loans', 'renew_loan']);
  expect(rules.map(({ id }) => id)).toEqual(['R1', 'R2', 'R3', 'R4', 'R5']);
  expect(rules[2]).toMatchObject({
    text: 'A loan may be renewed twice. It cannot be renewed when another reader has reserved the book.',
    severity: 'must',
    source: 'policies/policy.md, section "Renewals"',
  });
  expect(rules[3]).toMatchObject({ applies_to: ['renew_loan'] });
  // Every rule is near to something: none is left without a sample.
  const near = findNearestRules(['A loan may be renewed twice', 'Nothing of the kind'], rules);
  expect(new Set(near.flat())).toEqual(new Set(rules.map(({ id }) => id)));
  expect(near[0]).toContain('R3');
});

test('the checker that is made judges words and demanded calls as the benchmark does', async () => {
  const tasks = Tau2Task.array().parse((await library()).tasks);
  const table = Object.fromEntries(
    tasks.map(({ id, evaluation_criteria: criteria }) => [id, CriteriaShape.parse(criteria)]),
  );
  const dir = await scratch();
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'criteria.mjs'), criteriaChecker(table, ['R1']));
  const { check } = (await import(pathToFileURL(join(dir, 'criteria.mjs')).href)) as {
    check: (input: unknown) => { pass: boolean; evidence: string[] };
  };
  const ask = (id: string, says: string[], calls: unknown[] = []) => check({ sample: { id }, trace: { says, calls } });
  expect(ask('0', ['It is due on 2026-12-18.']).pass).toBe(true);
  expect(ask('0', ['It is renewed.'])).toMatchObject({ pass: false, evidence: ['never said: 2026-12-18'] });
  expect(ask('1', ['No.'], [{ tool: 'find_loans', input: { card: 'C-1001' } }]).pass).toBe(true);
  expect(ask('1', ['No.'], [{ tool: 'find_loans', input: { card: 'C-9' } }]).pass).toBe(false);
  expect(ask('1', []).pass).toBe(false);
});

const method = (name: string, properties: object = {}) => ({
  ...{ name, description: `It is "true" that\nit's ${name}`, changes: true, kind: 'write' },
  input_schema: { type: 'object' as const, properties, required: Object.keys(properties) },
});

test('a tool of the user that has the name of one of the agent gets another, and keeps its own method', async () => {
  const tasks = Tau2Task.array().parse((await library()).tasks);
  const offered = {
    assistant: [method('sign_in')],
    user: [method('sign_in', { card: { type: 'string' } })],
    world: {},
  };
  const shims = createShims(offered, tasks);
  expect(shims.map(({ name, side, example }) => [name, side, example])).toEqual([
    ['sign_in', 'assistant', {}],
    ['user_sign_in', 'user', { card: 'C-1001' }],
  ]);
  const [, ofUser] = shims;
  expect(ofUser === undefined ? '' : toolShim(ofUser, 'library')).toContain(
    'tau2_runner.run("user", "sign_in", input, world)',
  );
});

test('an example is a gold call that fits, else one that the schema makes', () => {
  const tool = method('book', {
    kind: { enum: ['a', 'b'] },
    days: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    list: { type: 'array' },
  });
  expect(findExample(tool, [{ kind: 'x' }])).toEqual({ kind: 'a', days: 1, list: [] });
  expect(findExample(tool, [{ kind: 'b', days: null, list: [1] }])).toEqual({ kind: 'b', days: null, list: [1] });
});

test('a sentence that demands nothing is no rule, an item of a list is one', () => {
  const rules = rulesOfPolicy('# A\n\nHello.\n\nYou must ask.\n\n* Be kind\n', 'p.md', []);
  expect(rules.map(({ text, severity }) => [text, severity])).toEqual([
    ['You must ask.', 'must'],
    ['Be kind', 'should'],
  ]);
});

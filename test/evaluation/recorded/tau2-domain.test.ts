import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { rulesOfPolicy } from '../../../src/evaluation/recorded/policy-rules.ts';
import { importTau2Domain } from '../../../src/evaluation/recorded/tau2-domain.ts';
import { toolsOfToolkit } from '../../../src/evaluation/recorded/toolkit-python.ts';
import { Brief } from '../../../src/scenario/brief.ts';
import { BusinessRules } from '../../../src/scenario/design.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { scratch } from '../../support/scratch.ts';

const ROOT = 'test/fixtures/tau2-checkout';
const data = (file: string) => readFile(join(ROOT, 'data/tau2/domains/library', file), 'utf8');

async function importLibrary(more: { db?: unknown; policy?: string } = {}) {
  const { files, gaps } = importTau2Domain(
    {
      domain: 'library',
      policy: await data('policy.md'),
      tasks: JSON.parse(await data('tasks.json')),
      db: JSON.parse(await data('db.json')),
      userDb: undefined,
      toolkit: await readFile(join(ROOT, 'src/tau2/domains/library/tools.py'), 'utf8'),
      ...more,
    },
    'library',
  );
  return { gaps, file: (path: string) => files.find((one) => one.path === path)?.content ?? `no ${path}` };
}

describe('a domain folder of tau2-bench', () => {
  test('becomes a scenario that our own schemas take', async () => {
    const { file } = await importLibrary();
    expect(Brief.parse(parse(file('scenario.yaml')))).toMatchObject({
      name: 'library',
      samples: { min: 2, categories: ['library'] },
    });
    const { rules } = BusinessRules.parse(parse(file('imported/business_rules.yaml')));
    expect(rules.map(({ id }) => id)).toEqual(['R1', 'R2', 'R3', 'R4', 'R5']);
    expect(rules[2]).toMatchObject({
      text: 'A loan may be renewed twice. It cannot be renewed when another reader has reserved the book.',
      severity: 'must',
      source: 'policies/policy.md, section "Renewals"',
    });
    expect(rules[3]).toMatchObject({ applies_to: ['renew_loan'] });
  });

  test('tasks become samples with their gold path, their words and what the user knows', async () => {
    const { file } = await importLibrary();
    const sample = Sample.parse(JSON.parse(file('imported/samples/library-0.json')));
    expect(sample).toMatchObject({
      title: 'Renews a loan that may be renewed',
      covers: ['R3', 'R4'],
      user: {
        knows: { name: 'Ines Roth', 'card number': 'C-1001' },
        does_not_know: ['You do not know the number of the loan.'],
      },
      expect: { must_say: [{ any: ['2026-12-18'] }] },
      gold: [
        { tool: 'find_loans', args: { card: 'C-1001' } },
        { tool: 'renew_loan', args: { loan: 'L-1' } },
      ],
      gold_says: '2026-12-18',
    });
    const other = Sample.parse(JSON.parse(file('imported/samples/library-1.json')));
    expect(other.start).toEqual({ base: 'db', patch: [{ op: 'add', path: '/agent/loans/L-2/reserved', value: true }] });
    expect(other.gold).toHaveLength(1);
  });

  test('what could not be carried over is said, sample by sample', async () => {
    const { gaps } = await importLibrary();
    expect(gaps.find((gap) => gap.startsWith('samples/library-0.json: expect.end_state'))).toContain('renew_loan');
    expect(gaps.some((gap) => gap.startsWith('samples/library-1.json: expect.end_state'))).toBe(false);
    expect(gaps.some((gap) => gap.includes('1 gold calls are made by the user'))).toBe(true);
    expect(gaps.some((gap) => gap.includes('2 Python tools'))).toBe(true);
    const large = await importLibrary({ db: { text: 'x'.repeat(2 * 1024 * 1024) } });
    expect(large.gaps.some((gap) => gap.includes('will not be loaded'))).toBe(true);
  });

  test('the checker that is made judges words and demanded calls as the benchmark does', async () => {
    const { file } = await importLibrary();
    const dir = await scratch();
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'criteria.mjs'), file('imported/checkers/criteria.mjs'));
    const { check } = (await import(pathToFileURL(join(dir, 'criteria.mjs')).href)) as {
      check: (input: unknown) => { pass: boolean; evidence: string[] };
    };
    const ask = (id: string, says: string[], calls: unknown[] = []) =>
      check({ sample: { id }, trace: { says, calls } });
    expect(ask('library-0', ['It is due on 2026-12-18.']).pass).toBe(true);
    expect(ask('library-0', ['It is renewed.'])).toMatchObject({ pass: false, evidence: ['never said: 2026-12-18'] });
    expect(ask('library-1', ['No.'], [{ tool: 'find_loans', input: { card: 'C-1001' } }]).pass).toBe(true);
    expect(ask('library-1', ['No.'], [{ tool: 'find_loans', input: { card: 'C-9' } }]).pass).toBe(false);
    expect(ask('library-1', []).pass).toBe(false);
  });

  test('a policy without rules and tasks of another form are refused in one sentence', async () => {
    await expect(importLibrary({ policy: '# Hello\n\nWelcome.' })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('holds no rule'),
    });
    const make = () =>
      importTau2Domain({ domain: 'x', policy: '', tasks: [{ id: '0' }], db: {}, userDb: undefined, toolkit: '' }, 'x');
    expect(make).toThrow(/tasks\.json of x: \/0\/user_scenario/);
  });
});

test('a toolkit is read as text: decorated methods, their kinds, parameters and first lines', async () => {
  const source = await readFile(join(ROOT, 'src/tau2/domains/library/tools.py'), 'utf8');
  expect(toolsOfToolkit(source)).toEqual([
    {
      name: 'find_loans',
      kind: 'READ',
      purpose: 'The loans of a reader.',
      parameters: [{ name: 'card', type: 'str' }],
    },
    {
      name: 'renew_loan',
      kind: 'WRITE',
      purpose: 'Lends a book for four more weeks.',
      parameters: [
        { name: 'loan', type: 'str' },
        { name: 'options', type: 'Dict[str, int]' },
      ],
    },
  ]);
  expect(toolsOfToolkit('')).toEqual([]);
});

test('a sentence that demands nothing is no rule, an item of a list is one', () => {
  const rules = rulesOfPolicy('# A\n\nHello.\n\nYou must ask.\n\n* Be kind\n', 'p.md', []);
  expect(rules.map(({ text, severity }) => [text, severity])).toEqual([
    ['You must ask.', 'must'],
    ['Be kind', 'should'],
  ]);
});

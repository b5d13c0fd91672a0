/** The conversational scenario: gold paths with words prove its checkers, and find the hole that the first one has. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { verifyComponents } from '../../src/evaluation/proof/verify-components.ts';
import { buildTable } from '../../src/scenario/cases/case-table.ts';
import { findTableFaults } from '../../src/scenario/cases/find-table-faults.ts';
import { BusinessRules, FormatSpec, type Design } from '../../src/scenario/design.ts';
import { scratch } from '../support/scratch.ts';
import { trustedSandbox } from '../evaluation/lamps.ts';
import { openShipped } from './shipped.ts';

const desk = openShipped('tariff-desk');
const FILES = join(desk.dir, 'simulation/files');

async function proofOf(dir: string) {
  const yaml = async (name: string): Promise<unknown> => parse(await readFile(join(FILES, 'r1', name), 'utf8'));
  const rules = BusinessRules.parse(await yaml('business_rules.yaml'));
  const format = FormatSpec.parse(await yaml('format_spec.yaml'));
  const design: Design = { round: 1, digest: 'd', narrative: '', rules, format };
  const { signal } = new AbortController();
  return verifyComponents({ dir, design, samplesWanted: desk.brief.samples.min, sandbox: trustedSandbox(), signal });
}

/** The components after the edit of Execute's script. */
async function mended(): Promise<string> {
  const dir = await scratch();
  await cp(join(FILES, 'i1'), dir, { recursive: true });
  for (const { input } of desk.execute.turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls))) {
    const { file_path: path, old_string: old, new_string: now } = input as Record<string, string>;
    if (path === undefined || old === undefined || now === undefined || !path.includes('iteration_1')) continue;
    const file = join(dir, path.replace(/^.*iteration_1\//, ''));
    await writeFile(file, (await readFile(file, 'utf8')).replace(old, now));
  }
  return dir;
}

test('"fewer than two messages: pass" is found out before anything is paid', async () => {
  const { problems, words } = await proofOf(join(FILES, 'i1'));
  expect(problems.map(({ code, component }) => `${code} ${component}`)).toEqual([
    'checker-accepts-silence consent-given',
  ]);
  expect(words).toContainEqual(expect.objectContaining({ rule: 'R3', proven: false }));
});

test('with the question looked for, every component proves itself, and the rule of the clear yes is proven', async () => {
  const { problems, words } = await proofOf(await mended());
  expect(problems).toEqual([]);
  expect(words).toMatchObject([
    { rule: 'R3', proven: true },
    { rule: 'R4', proven: true },
  ]);
});

test('its rules agree in every case, and each of them has a sample', async () => {
  const { problems, cases } = await proofOf(await mended());
  expect(problems.filter(({ code }) => code === 'case-untrue')).toEqual([]);
  expect(Object.entries(cases?.rules ?? {}).filter(([, samples]) => samples.length === 0)).toEqual([]);
  const yaml = async (name: string): Promise<unknown> => parse(await readFile(join(FILES, 'r1', name), 'utf8'));
  const format = FormatSpec.parse(await yaml('format_spec.yaml'));
  const { rules } = BusinessRules.parse(await yaml('business_rules.yaml'));
  expect(format.cases === undefined ? ['no cases'] : findTableFaults(buildTable(format.cases, rules))).toEqual([]);
});

/** Proves the components of the scenarios that measure verdicts, with one file edited. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StrengthBudget } from '../../../src/evaluation/proof/strength/measure-strength.ts';
import { verifyComponents } from '../../../src/evaluation/proof/verify-components.ts';
import { readDesign } from '../../../src/run-folder/read-design.ts';
import type { Verification } from '../../../src/scenario/result.ts';
import type { Design } from '../../../src/scenario/design.ts';
import { scratch } from '../../support/scratch.ts';
import { trustedSandbox } from '../lamps.ts';

/** One for all proofs, because what a proof has learned of unchanged components is kept by the sandbox. */
const sandbox = trustedSandbox();

const HOME = join(import.meta.dirname, '../../../bench/verdicts');

const designs = new Map<string, Promise<Design>>();

/** One object for all proofs of a scenario: worlds that were found valid are remembered by their schema. */
export function readHireDesign(scenario = 'tool-hire'): Promise<Design> {
  const known = designs.get(scenario) ?? readHire(scenario);
  designs.set(scenario, known);
  return known;
}

async function readHire(scenario: string): Promise<Design> {
  const { parts, problems } = await readDesign(join(HOME, scenario, 'design'), 'design');
  expect(problems).toEqual([]);
  if (parts === undefined) throw new Error('the design is not readable');
  return { round: 1, digest: 'd'.repeat(64), ...parts };
}

/** A text to replace, by file. */
export type Edits = Record<string, [from: string, to: string]>;

/** Cases whose edits are of different files, in groups: they are proven together, because a proof takes half a second. */
export function groupCases<One extends { edits: Edits }>(cases: readonly One[]): { edits: Edits; cases: One[] }[] {
  const groups: { edits: Edits; cases: One[] }[] = [];
  for (const one of cases) {
    const group = groups.find(({ edits }) => !Object.keys(one.edits).some((file) => file in edits));
    if (group === undefined) groups.push({ edits: { ...one.edits }, cases: [one] });
    else {
      Object.assign(group.edits, one.edits);
      group.cases.push(one);
    }
  }
  return groups;
}

type HireOptions = { scenario?: string; design?: Design };

const proofs = new Map<string, Promise<Verification>>();

/**
 * `edits` are texts to replace, by file; with `strength` the proof says what it doubts. Several tests ask for the proof of
 * the same components, which is made once for all of them: none may change what it is given.
 */
export function proveHire(
  edits: Edits = {},
  strength?: StrengthBudget,
  options: HireOptions = {},
): Promise<Verification> {
  const key = JSON.stringify([edits, strength, options.scenario, options.design]);
  const proof = proofs.get(key) ?? makeProof(edits, strength, options);
  proofs.set(key, proof);
  return proof;
}

async function makeProof(
  edits: Edits,
  strength: StrengthBudget | undefined,
  { scenario = 'tool-hire', design }: HireOptions,
): Promise<Verification> {
  const dir = await scratch();
  await cp(join(HOME, scenario, 'components'), dir, { recursive: true });
  for (const [file, [from, to]] of Object.entries(edits)) {
    const text = await readFile(join(dir, file), 'utf8');
    expect(text).toContain(from);
    await writeFile(
      join(dir, file),
      text.replace(from, () => to),
    );
  }
  const signal = new AbortController().signal;
  const input = {
    dir,
    design: design ?? (await readHireDesign(scenario)),
    samplesWanted: 1,
    sandbox,
    signal,
  };
  return verifyComponents(strength === undefined ? input : { ...input, strength });
}

/** `code component` of every problem and remark. */
export function listCodes({ problems, remarks = [] }: Verification): string[] {
  return [...problems, ...remarks].map(({ code, component }) => `${code} ${component}`);
}

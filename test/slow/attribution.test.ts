/** Faults of known layer are put into the shipped scenario one by one: whose fault does the harness take them for? */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox } from '../../src/adapters/sandbox/open-sandbox.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { CHECKER_FAULTS } from '../attribution/faults-of-checkers.ts';
import { DESIGN_FAULTS } from '../attribution/faults-of-design.ts';
import { MISLEADING_FAULTS, SAMPLE_FAULTS, SUBJECT_FAULTS } from '../attribution/faults-of-samples.ts';
import { TOOL_FAULTS } from '../attribution/faults-of-tools.ts';
import type { Injection } from '../attribution/injection.ts';
import { measure, openGround, type Ground, type Taken } from '../attribution/measure.ts';

const ALL = [
  ...DESIGN_FAULTS,
  ...TOOL_FAULTS,
  ...CHECKER_FAULTS,
  ...SAMPLE_FAULTS,
  ...MISLEADING_FAULTS,
  ...SUBJECT_FAULTS,
];
const taken: { injection: Injection; as: Taken }[] = [];
let ground: Ground;
let sandbox: Sandbox;

beforeAll(async () => {
  ground = await openGround();
  sandbox = await openSandbox();
});
afterAll(() => console.info(table()));

async function take(injection: Injection): Promise<Taken> {
  const dir = await mkdtemp(join(tmpdir(), 'tandem-fault-'));
  try {
    return await measure(injection, ground, dir, sandbox);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Rows: where the fault was put. Columns: whose it was taken for. */
function table(): string {
  const count = (layer: number, as: number | undefined) =>
    taken.filter((one) => one.injection.layer === layer && one.as.layer === as).length;
  const rows = [1, 2, 3, 4].map(
    (layer) => `| ${layer} | ${[1, 2, 3, 4, undefined].map((as) => count(layer, as)).join(' | ')} |`,
  );
  const wrong = taken.filter(({ injection, as }) => injection.layer !== as.layer);
  const early = taken.filter(({ as }) => as.early);
  return [
    '| put into layer | taken for 1 | 2 | 3 | 4 | not noticed |',
    '|---|---|---|---|---|---|',
    ...rows,
    `${taken.length - wrong.length} of ${taken.length} right; ${early.length} found before a paid call, ${early.filter(({ as }) => as.others === 0).length} of them with no word about another layer`,
    ...wrong.map(
      ({ injection, as }) =>
        `wrong: layer ${injection.layer} ${injection.kind} (${injection.name}) taken for ${as.layer}: ${as.why}`,
    ),
  ].join('\n');
}

describe(`${ALL.length} faults`, () => {
  test('are at least sixty, and without a fault nothing is found', async () => {
    expect(ALL.length).toBeGreaterThanOrEqual(60);
    expect(await take({ layer: 4, kind: 'none', name: 'none' })).toEqual({
      layer: undefined,
      early: false,
      why: '',
      others: 0,
    });
  });

  test('are put down to the right layer in at least 95 of 100 cases; of those of layers 2 and 3 that verification finds, all but one', async () => {
    for (const injection of ALL) taken.push({ injection, as: await take(injection) });
    const right = taken.filter(({ injection, as }) => injection.layer === as.layer);
    expect(right.length / taken.length).toBeGreaterThanOrEqual(0.95);
    const early = taken.filter(({ injection, as }) => as.early && [2, 3].includes(injection.layer));
    const wrong = early.filter(({ injection, as }) => injection.layer !== as.layer);
    // One sample expects a change that no tool ever makes: from what can be seen, the sample is the odd one out.
    expect(wrong.map(({ injection }) => `${injection.name} ${injection.kind}`)).toEqual([
      'create_exchange writes the wrong thing',
    ]);
  }, 900_000);
});

/** Faults of known layer are put into the shipped scenario one by one: whose fault does the harness take them for? */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openConfined } from '../../src/app/open-sandbox.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { CHECKER_FAULTS } from '../attribution/faults-of-checkers.ts';
import { DESIGN_FAULTS } from '../attribution/faults-of-design.ts';
import { MISLEADING_FAULTS, SAMPLE_FAULTS, SUBJECT_FAULTS } from '../attribution/faults-of-samples.ts';
import { TOOL_FAULTS } from '../attribution/faults-of-tools.ts';
import type { Injection } from '../attribution/injection.ts';
import { heldOutFaults } from '../attribution/held-out.ts';
import { measure, openGround, type Ground, type Taken } from '../attribution/measure.ts';

const ALL = [
  ...DESIGN_FAULTS,
  ...TOOL_FAULTS,
  ...CHECKER_FAULTS,
  ...SAMPLE_FAULTS,
  ...MISLEADING_FAULTS,
  ...SUBJECT_FAULTS,
];
type Attributed = { injection: Injection; as: Taken }[];
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openConfined({});
});

async function take(injection: Injection, ground: Ground): Promise<Taken> {
  const dir = await mkdtemp(join(tmpdir(), 'tandem-fault-'));
  try {
    return await measure(injection, ground, dir, sandbox);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function takeAll(injections: readonly Injection[], ground: Ground): Promise<Attributed> {
  const taken: Attributed = [];
  for (const injection of injections) taken.push({ injection, as: await take(injection, ground) });
  console.info(table(taken));
  return taken;
}

const isRight = ({ injection, as }: Attributed[number]): boolean => injection.layer === as.layer;

/** Rows: where the fault was put. Columns: whose it was taken for. */
function table(taken: Attributed): string {
  const count = (layer: number, as: number | undefined) =>
    taken.filter((one) => one.injection.layer === layer && one.as.layer === as).length;
  const row = (layer: number) => `| ${layer} | ${[1, 2, 3, 4, undefined].map((as) => count(layer, as)).join(' | ')} |`;
  const early = taken.filter(({ as }) => as.early);
  return [
    '| put into layer | taken for 1 | 2 | 3 | 4 | not noticed |',
    '|---|---|---|---|---|---|',
    ...[1, 2, 3, 4].map(row),
    `${taken.filter(isRight).length} of ${taken.length} right; ${early.length} found before a paid call, ${early.filter(({ as }) => as.others === 0).length} of them with no word about another layer`,
    ...taken
      .filter(({ injection, as }) => [2, 3].includes(injection.layer) && !as.named.includes(injection.layer))
      .map(
        ({ injection }) =>
          `not named before a paid call: layer ${injection.layer} ${injection.kind} (${injection.name})`,
      ),
    ...taken
      .filter((one) => !isRight(one))
      .map(
        ({ injection, as }) =>
          `wrong: layer ${injection.layer} ${injection.kind} (${injection.name}) taken for ${as.layer}: ${as.why}`,
      ),
  ].join('\n');
}

const nothing = { layer: 4, kind: 'none', name: 'none' } as const;
const unharmed = { layer: undefined, early: false, named: [], why: '', others: 0 };

describe(`${ALL.length} faults in refund-desk`, () => {
  test('are put down to the right layer in at least 95 of 100 cases; those of layers 2 and 3 all, and all of these before a paid call', async () => {
    const ground = openGround('refund-desk');
    expect(ALL.length).toBeGreaterThanOrEqual(60);
    expect(await take(nothing, ground)).toEqual(unharmed);
    const taken = await takeAll(ALL, ground);
    expect(taken.filter(isRight).length / taken.length).toBeGreaterThanOrEqual(0.95);
    const early = taken.filter(({ injection, as }) => as.early && [2, 3].includes(injection.layer));
    const wrong = early.filter((one) => !isRight(one));
    expect(wrong.map(({ injection }) => `${injection.name} ${injection.kind}`)).toEqual([]);
    const silent = taken.filter(({ injection: { layer }, as }) => [2, 3].includes(layer) && !as.named.includes(layer));
    expect(silent.map(({ injection }) => `${injection.name} ${injection.kind}`)).toEqual([]);
  }, 900_000);
});

describe('faults in clinic-booking, which no rule of attribution was made with', () => {
  test('are put down to the right layer in at least 95 of 100 cases', async () => {
    const ground = openGround('clinic-booking');
    expect(await take(nothing, ground)).toMatchObject(unharmed);
    const taken = await takeAll(heldOutFaults(ground), ground);
    expect(taken.filter(isRight).length / taken.length).toBeGreaterThanOrEqual(0.95);
  }, 900_000);
});

/** Faults of known layer are put into the shipped scenario one by one: whose fault does the harness take them for? */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { Cause } from '../../src/scenario/result.ts';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { CHECKER_FAULTS } from '../attribution/faults-of-checkers.ts';
import { DESIGN_FAULTS } from '../attribution/faults-of-design.ts';
import { MISLEADING_FAULTS, SAMPLE_FAULTS, SUBJECT_FAULTS } from '../attribution/faults-of-samples.ts';
import { TOOL_FAULTS } from '../attribution/faults-of-tools.ts';
import { causeOf, type Injection } from '../attribution/injection.ts';
import { SEEDED_FAULTS } from '../attribution/seeded-faults.ts';
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
const CAUSES = Cause.options;
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

const isRight = ({ injection, as }: Attributed[number]): boolean => causeOf(injection) === as.cause;

/** Rows: where the fault was put. Columns: whose it was taken for. */
function table(taken: Attributed): string {
  const count = (cause: Cause, as: Cause | undefined) =>
    taken.filter((one) => causeOf(one.injection) === cause && one.as.cause === as).length;
  const row = (cause: Cause) => `| ${cause} | ${[...CAUSES, undefined].map((as) => count(cause, as)).join(' | ')} |`;
  const early = taken.filter(({ as }) => as.early);
  return [
    '| put into layer | taken for 1 | 2 | 3 | 4a | 4b | not noticed |',
    '|---|---|---|---|---|---|---|',
    ...CAUSES.map(row),
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
          `wrong: ${causeOf(injection)} ${injection.kind} (${injection.name}) taken for ${as.cause}: ${as.why}`,
      ),
  ].join('\n');
}

const nothing = { layer: 4, kind: 'none', name: 'none' } as const;
const unharmed = { layer: undefined, cause: undefined, early: false, named: [], why: '', others: 0 };

/** Each fault is a proof and an evaluation of its own: CI takes a part of them, TANDEM_STORMS=full all. */
const isFull = process.env['TANDEM_STORMS'] === 'full';
const partOf = <One>(all: readonly One[], every: number): One[] =>
  all.filter((_, index) => isFull || index % every === 0);

describe('faults that were made in good faith, or missed before', () => {
  test('are put down to the right cause, sample and subject apart, in at least 90 of 100 cases', async () => {
    const ground = openGround('refund-desk');
    const faults = partOf(SEEDED_FAULTS, 3);
    expect(faults.length).toBeGreaterThanOrEqual(12);
    const taken = await takeAll(faults, ground);
    expect(taken.filter(isRight).length / taken.length).toBeGreaterThanOrEqual(0.9);
  }, 900_000);
});

describe(`${ALL.length} faults in refund-desk`, () => {
  test('are put down to the right layer in at least 95 of 100 cases; those of layers 2 and 3 all, and all of these before a paid call', async () => {
    const ground = openGround('refund-desk');
    expect(ALL.length).toBeGreaterThanOrEqual(60);
    expect(await take(nothing, ground)).toEqual(unharmed);
    const taken = await takeAll(partOf(ALL, 12), ground);
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
    const taken = await takeAll(partOf(heldOutFaults(ground), 20), ground);
    expect(taken.filter(isRight).length / taken.length).toBeGreaterThanOrEqual(0.95);
  }, 900_000);
});

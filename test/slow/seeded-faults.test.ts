/** Faults seeded by hand into the components that refund-desk ends with: which of them does a proof name, and what does it cry wolf about? */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findRegressions } from '../../src/evaluation/proof/strength/find-regressions.ts';
import { verifyComponents } from '../../src/evaluation/proof/verify-components.ts';
import type { ProofStrength } from '../../src/scenario/proof-strength.ts';
import type { Verification } from '../../src/scenario/result.ts';
import { openGround, type Ground } from '../attribution/measure.ts';
import { trustedSandbox } from '../evaluation/lamps.ts';
import { FAULTS, HARMLESS, type Seed } from '../seeded/seeds.ts';

/** All mutants of all seeds take many minutes; CI tries an even choice of both. */
const isFull = process.env['TANDEM_STORMS'] === 'full';
const mutantsEach = isFull ? 80 : 20;
const choose = (seeds: readonly Seed[]): Seed[] => seeds.filter((_, index) => isFull || index % 4 === 0);
let ground: Ground;
let clean: Verification;

beforeAll(async () => {
  ground = openGround('refund-desk');
  clean = await prove();
}, 60_000);

/** These files are ours: they need no walls. */
async function prove(seed?: Seed): Promise<Verification> {
  const files = new Map(ground.files);
  seed?.change(files);
  const dir = await mkdtemp(join(tmpdir(), 'tandem-seeded-'));
  for (const [path, text] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const { signal } = new AbortController();
  const strength = { seconds: 120, mutantsEach };
  const demands = { dir, design: ground.design, samplesWanted: 15, sandbox: trustedSandbox(), strength, signal };
  try {
    return await verifyComponents(demands);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

type Named = { alone: string[]; compared: string[] };

/** What is said of a proof that was not said of the clean one: by itself, and with the clean one as the earlier proof. */
function newWords(verification: Verification): Named {
  const { problems, remarks = [], strength } = verification;
  const known = new Set([...(clean.remarks ?? []), ...(clean.strength?.findings ?? [])].map(keyOf));
  const words = [...problems, ...remarks, ...(strength?.findings ?? [])].filter((one) => !known.has(keyOf(one)));
  const regressions =
    strength === undefined || clean.strength === undefined ? [] : findRegressions(strength, clean.strength);
  const survivors = newSurvivors(strength);
  return {
    alone: [...words, ...survivors].map(lineOf),
    compared: regressions.map(lineOf),
  };
}

type Said = { code: string; component: string; sample?: string | undefined; message: string };

const keyOf = ({ code, component, sample }: Said): string => [code, component, sample].join(' ');
const lineOf = ({ code, component, message }: Said): string => `${code} ${component}: ${message}`;

/** Only where more survive than before: a line that is worded otherwise survives no more than it did. */
function newSurvivors(strength: ProofStrength | undefined): Said[] {
  const before = clean.strength?.survivors ?? [];
  const known = new Set(before.map(({ component, message }) => `${component} ${message.replace(/:\d+:/, ':')}`));
  const count = (all: readonly { component: string }[], id: string) =>
    all.filter(({ component }) => component === id).length;
  const survivors = strength?.survivors ?? [];
  return survivors
    .filter(({ component }) => count(survivors, component) > count(before, component))
    .filter(({ component, message }) => !known.has(`${component} ${message.replace(/:\d+:/, ':')}`))
    .map(({ component, message }) => ({ code: 'survivor', component, message }));
}

/** Its component is named, also in the words about another one; or the whole is refused, and nobody is paid for it. */
function isNamed(lines: readonly string[], { seed: { component }, refused }: Tried): boolean {
  return refused || lines.some((line) => line.includes(component));
}

type Tried = { seed: Seed; refused: boolean; words: Named };

describe(`${FAULTS.length} seeded faults and ${HARMLESS.length} harmless edits`, () => {
  test('at least 85 of 100 faults are named', async () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(50);
    const tried: Tried[] = [];
    for (const seed of choose(FAULTS)) {
      const verification = await prove(seed);
      tried.push({ seed, refused: !verification.ok, words: newWords(verification) });
    }
    const missed = tried.filter((one) => !isNamed([...one.words.alone, ...one.words.compared], one));
    const alone = tried.filter((one) => isNamed(one.words.alone, one));
    console.info(
      [
        `${tried.length - missed.length} of ${tried.length} named, ${alone.length} of them without an earlier proof`,
        ...missed.map(({ seed }) => `missed: ${seed.kind} in ${seed.component}`),
        ...tried
          .filter((one) => !alone.includes(one) && !missed.includes(one))
          .map(({ seed }) => `only by the earlier proof: ${seed.kind} in ${seed.component}`),
      ].join('\n'),
    );
    expect(1 - missed.length / tried.length).toBeGreaterThanOrEqual(0.85);
  }, 900_000);

  test('no harmless edit is refused, or named for anything', async () => {
    expect(HARMLESS.length).toBeGreaterThanOrEqual(30);
    const alarms: string[] = [];
    for (const seed of choose(HARMLESS)) {
      const verification = await prove(seed);
      const words = newWords(verification);
      // The list of survivors is of single lines, and other lines have other mutants: it accuses nobody.
      const [alone, compared] = [words.alone.filter((line) => !line.startsWith('survivor ')), words.compared];
      if (!verification.ok || alone.length + compared.length > 0)
        alarms.push(`${seed.component}: ${[...alone, ...compared].join(' | ')}`);
    }
    expect(alarms).toEqual([]);
  }, 900_000);
});

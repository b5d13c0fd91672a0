/** The imported domain of the fixtures with a world of several megabytes: many readers and loans, made anew each time. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Sample } from '../../src/scenario/sample.ts';

const FIXTURE = resolve('test/fixtures/imported-domain/library');
const SAMPLES = 'simulation/files/i1/samples';
const READERS = 6000;
const LOANS = 24_000;

export type LargeDomain = { tasks: number; bytes: number };

/** Writes the scenario to `dir`: the samples of the fixture, and `more` on readers all over the world. */
export async function largeDomain(dir: string, more = 17): Promise<LargeDomain> {
  await cp(FIXTURE, dir, { recursive: true });
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(dir, SAMPLES, name), 'utf8'));
  const world = (await read('worlds/db.json')) as { agent: Record<'readers' | 'loans', object> };
  const { readers, loans } = world.agent;
  const agent = {
    readers: { ...readers, ...Object.fromEntries(Array.from({ length: READERS }, (_, n) => [card(n), reader(n)])) },
    loans: { ...loans, ...Object.fromEntries(Array.from({ length: LOANS }, (_, n) => [`G-${n}`, loan(n)])) },
  };
  const text = JSON.stringify({ ...world, agent });
  await writeFile(join(dir, SAMPLES, 'worlds/db.json'), text);
  const renewal = Sample.parse(await read('library-0.json'));
  for (let index = 1; index <= more; index += 1) {
    const made = renewalBy(renewal, index * 17);
    await writeFile(join(dir, SAMPLES, `${made.id}.json`), JSON.stringify(made));
  }
  return { tasks: more + 3, bytes: text.length };
}

const card = (n: number): string => `R-${n}`;

function reader(n: number) {
  return {
    name: `Größte Leserin ${n}`,
    branch: n % 2 === 0 ? 'harbour' : 'hill',
    loans: [`G-${n}`, `G-${n + READERS}`],
  };
}

function loan(n: number) {
  const book = `Volume ${n} of a very long work about the tides, the moon and the harbour`;
  return {
    loan_id: `G-${n}`,
    book,
    due: '2026-11-20',
    renewals: n % 3,
    reserved: n % 5 === 0,
    status: 'open',
    note: null,
  };
}

/** A renewal of two weeks by reader `n`, on the pattern of the fixture's own. */
function renewalBy(renewal: Sample, n: number): Sample {
  const patch = [
    { op: 'replace' as const, path: `/agent/loans/G-${n}/due`, value: '2026-12-04' },
    { op: 'replace' as const, path: `/agent/loans/G-${n}/renewals`, value: (n % 3) + 1 },
  ];
  return {
    ...renewal,
    id: `library-${n}`,
    user: {
      ...renewal.user,
      says_first: `I am reader ${n} and want to renew volume ${n}.`,
      knows: {},
      does_not_know: [],
    },
    expect: { ...renewal.expect, end_state: { patch }, must_say: [{ any: ['2026-12-04'] }] },
    gold: [
      { tool: 'find_loans', args: { card: card(n) } },
      { tool: 'renew_loan', args: { loan_id: `G-${n}`, weeks: 2 } },
    ],
    gold_says: '2026-12-04',
  };
}

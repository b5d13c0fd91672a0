/** A checkout of tau2-bench with a domain whose world has several megabytes: the library of the fixtures with many readers, made anew each time. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const FIXTURE = resolve('test/fixtures/tau2-checkout');
const READERS = 6000;
const LOANS = 24_000;

export type LargeDomain = { checkout: string; tasks: number; bytes: number };

/** Tasks on readers all over the world; the first two are judged by their predicate alone. */
export async function largeDomain(dir: string, tasks = 20): Promise<LargeDomain> {
  const checkout = join(dir, 'checkout');
  await cp(FIXTURE, checkout, { recursive: true });
  const data = join(checkout, 'data/tau2/domains/library');
  await mkdir(data, { recursive: true });
  const db = JSON.parse(await readFile(join(data, 'db.json'), 'utf8')) as Record<'readers' | 'loans', object>;
  const text = JSON.stringify({
    readers: { ...db.readers, ...Object.fromEntries(Array.from({ length: READERS }, (_, n) => [card(n), reader(n)])) },
    loans: { ...db.loans, ...Object.fromEntries(Array.from({ length: LOANS }, (_, n) => [`G-${n}`, loan(n)])) },
  });
  await writeFile(join(data, 'db.json'), text);
  const made = Array.from({ length: tasks - 2 }, (_, n) => task(n * 17));
  await writeFile(join(data, 'tasks.json'), JSON.stringify([freeTask(1), freeTask(0), ...made]));
  return { checkout, tasks, bytes: text.length };
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

function task(n: number) {
  const actions = [
    { action_id: `${n}_0`, name: 'find_loans', arguments: { card: card(n) } },
    { action_id: `${n}_1`, name: 'renew_loan', arguments: { loan_id: `G-${n}`, weeks: 2 } },
  ];
  return {
    id: String(n),
    description: { purpose: 'Renews a loan that may be renewed twice' },
    user_scenario: { instructions: `You are reader ${n} and want to renew volume ${n}.` },
    evaluation_criteria: { actions, communicate_info: ['2026-12-04'] },
  };
}

/** `renewals` 0: nothing may be done about the loan, which is so from the start. */
function freeTask(renewals: 0 | 1) {
  const assertion = {
    env_type: 'assistant',
    func_name: 'assert_renewals',
    arguments: { loan_id: 'L-1', expected: renewals },
  };
  const renewing = { action_id: 'f_0', name: 'renew_loan', arguments: { loan_id: 'L-1' } };
  return {
    id: `free-${renewals}`,
    description: { purpose: `However it is done, the loan is renewed so many times: ${renewals}` },
    user_scenario: { instructions: `You ask about The Tide Tables, for the ${renewals}th time.` },
    evaluation_criteria: {
      actions: renewals === 0 ? [] : [renewing],
      env_assertions: [{ ...assertion, assert_value: true }],
      reward_basis: ['ENV_ASSERTION'],
    },
  };
}

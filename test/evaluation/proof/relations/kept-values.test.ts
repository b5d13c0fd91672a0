/** What stood there before is kept, and what others have done does not count. */
import { expect, test } from 'vitest';
import { findForeignLimit, findForgottenTotal } from '../../../../src/evaluation/proof/relations/kept-values.ts';
import type { Relation } from '../../../../src/evaluation/proof/relations/observed-calls.ts';
import { findLeak } from '../../../../src/evaluation/proof/relations/read-relations.ts';
import { findForeignWrite, findUnlikeTools } from '../../../../src/evaluation/proof/relations/shared-guards.ts';
import { findOwned } from '../../../../src/evaluation/proof/relations/world-records.ts';
import { observeCall, type Run } from './observe-call.ts';

const { signal } = new AbortController();
const SCHOOL = {
  me: 'K-1',
  pupils: { 'K-1': { name: 'Ann Weiss' }, 'K-2': { name: 'Bob Holm' } },
  trips: { 'T-1': { pupil: 'K-1', paid: 0 }, 'T-2': { pupil: 'K-2', paid: 0 } },
  bills: { 'B-1': { trip: 'T-1', open: true, cents: 40 }, 'B-2': { trip: 'T-2', open: true, cents: 70 } },
  payments: [] as { trip: string; cents: number; text: string }[],
};
type School = typeof SCHOOL;
type Pay = { bills: string[]; cents: number; text: string };

/** Pays bills of a trip; each way in which it can be wrong is a flag. */
function payBills(wrong: { takes?: boolean; counts?: boolean; forgets?: boolean } = {}): Run {
  return (input, world) => {
    const { bills, cents, text } = input as unknown as Pay;
    const school = world as unknown as School;
    const due = bills.map((id) => school.bills[id as 'B-1']);
    if (due.some(({ trip }) => wrong.takes !== true && trip !== 'T-1')) return { ok: false };
    const made = school.payments.filter(({ trip }) => wrong.counts === true || trip === 'T-1');
    if (made.length >= 5) return { ok: false };
    for (const bill of due) bill.open = false;
    school.trips['T-1'].paid = (wrong.forgets === true ? 0 : school.trips['T-1'].paid) + cents;
    school.payments.push({ trip: 'T-1', cents, text: text });
    return { ok: true };
  };
}

const PAID = { bills: ['B-1'], cents: 40, text: 'for the bus' };
const observe = (run: Run) => observeCall('pay_bills', run, PAID, SCHOOL);

test.each<[string, Relation, Parameters<typeof payBills>[0], RegExp]>([
  [
    'takes a bill of another in a list of bills',
    findForeignWrite,
    { takes: true },
    /"B-2" at \/bills\/0 changes \/bills\/B-2/,
  ],
  ['counts the payments of others', findForeignLimit, { counts: true }, /12 entries of others in \/payments/],
  ['forgets what was paid before', findForgottenTotal, { forgets: true }, /forgets what \/trips\/T-1\/paid held/],
])('a tool that %s is doubted, and a sound one is not', async (_, relation, wrong, says) => {
  expect(await relation(await observe(payBills(wrong)), signal)).toMatch(says);
  expect(await relation(await observe(payBills()), signal)).toBeUndefined();
});

test('what belongs to a record belongs to whom that record does', () => {
  expect(findOwned(SCHOOL).foreign.map(({ path }) => path)).toEqual(['/pupils/K-2', '/trips/T-2', '/bills/B-2']);
});

test('the bills of somebody else that are made like the own ones are told only by a tool that does not mind whose they are', async () => {
  const listBills =
    (isOwn: (trip: string) => boolean): Run =>
    (_, world) => ({
      bills: Object.entries((world as unknown as School).bills).flatMap(([id, { trip }]) => (isOwn(trip) ? [id] : [])),
    });
  const find = async (run: Run) => findLeak(await observeCall('list_bills', run, { trip: 'T-1' }, SCHOOL), signal);
  expect(await find(listBills((trip) => trip === 'T-1'))).toBeUndefined();
  expect(await find(listBills(() => true))).toContain('/bills/B-2');
});

test('a tool that may add a line several times, and refuses more, does so by design', async () => {
  const note =
    (most: number): Run =>
    (_, world) => {
      const { payments } = world as unknown as School;
      return { ok: payments.length < most && payments.push({ trip: 'T-1', cents: 0, text: 'sent' }) > 0 };
    };
  const close: Run = (_, world) => {
    const bill = (world as unknown as School).bills['B-1'];
    const isOpen = bill.open;
    bill.open = false;
    return { ok: isOpen };
  };
  const call = (tool: string, run: Run) => observeCall(tool, run, { bill: 'B-1' }, SCHOOL);
  const find = async (most: number) => {
    const tools = { note: note(most), close, shut: close, end: close };
    const calls = await Promise.all(
      Object.entries(tools).map(async ([name, run]) => [name, [await call(name, run)]] as const),
    );
    return (await findUnlikeTools(new Map(calls), undefined, signal)).map(({ component }) => component);
  };
  expect(await find(100)).toEqual(['note']);
  expect(await find(3)).toEqual([]);
});

/** Sound tools of scenarios that are not the bench's: a relation must say nothing of them. */
import { expect, test } from 'vitest';
import { findLeak } from '../../../../src/evaluation/proof/relations/read-relations.ts';
import { findUnlikeTools } from '../../../../src/evaluation/proof/relations/shared-guards.ts';
import { findOwned } from '../../../../src/evaluation/proof/relations/world-records.ts';
import { observeCall, type Run } from './observe-call.ts';

const { signal } = new AbortController();
const CLINIC = {
  me: 'P-1',
  doctors: { 'D-1': { name: 'Dr. Ada Sole' }, 'D-2': { name: 'Dr. Jon Brandt' }, 'D-3': { name: 'Dr. Eve Lind' } },
  patients: { 'P-1': { name: 'Ann Weiss', doctor: 'D-1' }, 'P-2': { name: 'Bob Holm', doctor: 'D-3' } },
  slots: { 'S-1': { doctor: 'D-2', day: 'Monday' }, 'S-2': { doctor: 'D-3', day: 'Friday' } },
};

type Clinic = typeof CLINIC;
const listSlots: Run = ({ day }, world) => {
  const { slots, doctors } = world as unknown as Clinic;
  const shown = Object.entries(slots).filter(([, slot]) => slot.day === day);
  return { ok: true, slots: shown.map(([id, { doctor }]) => ({ id, with: doctors[doctor as 'D-1'].name })) };
};

test('the doctor of a slot that is listed is no leak', async () => {
  expect(await findLeak(await observeCall('list_slots', listSlots, { day: 'Monday' }, CLINIC), signal)).toBeUndefined();
});

test('the doctor of nobody and nothing that is asked for is one', async () => {
  const tellOther: Run = (_, world) => ({ ok: true, with: (world as unknown as Clinic).doctors['D-2'].name });
  const observed = await observeCall('tell_my_doctor', tellOther, {}, { ...CLINIC, slots: {} });
  expect(await findLeak(observed, signal)).toContain('/doctors/D-2');
});

test('one open key says who is signed in; several of one kind are a list and say it of nobody', () => {
  expect(findOwned(CLINIC).own.map(({ path }) => path)).toEqual(['/patients/P-1']);
  expect(findOwned({ ...CLINIC, waiting: ['P-2'] })).toEqual({ own: [], foreign: [] });
});

test('only the key that says which record is meant is tried in small letters', async () => {
  const world = {
    orders: { 'A-1': { item: 'LAMP' }, 'A-2': { item: 'RUG' } },
    stock: { LAMP: { left: 2 }, RUG: { left: 1 } },
  };
  const findOrder: Run = ({ order = '' }, { orders }) =>
    Object.hasOwn(orders as object, order.toUpperCase()) ? { ok: true } : { ok: false };
  const exchange: Run = ({ order = '', item = '' }, { orders, stock }) => ({
    ok: Object.hasOwn(orders as object, order.toUpperCase()) && Object.hasOwn(stock as object, item),
  });
  const takeExactly: Run = ({ order = '' }, { orders }) => ({ ok: Object.hasOwn(orders as object, order) });
  const calls = async (last: Run) =>
    new Map([
      ...(await Promise.all(
        ['read', 'cancel', 'refund'].map(
          async (name) => [name, [await observeCall(name, findOrder, { order: 'A-1' }, world)]] as const,
        ),
      )),
      ['exchange', [await observeCall('exchange', last, { order: 'A-1', item: 'LAMP' }, world)]] as const,
    ]);
  expect(await findUnlikeTools(await calls(exchange), undefined, signal)).toEqual([]);
  expect(await findUnlikeTools(await calls(takeExactly), undefined, signal)).toMatchObject([
    { code: 'tool-spelling', component: 'exchange' },
  ]);
});
